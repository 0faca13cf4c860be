return { now }
