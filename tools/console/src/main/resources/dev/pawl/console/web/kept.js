// What the browser keeps for a person. One that keeps nothing forgets it with the page.

const here = new Map();

/** Tells whether it keeps anything; whoever blocks cookies blocks this too, and not all say so. */
export function keeps() {
  try {
    return navigator.cookieEnabled && Boolean(localStorage);
  } catch {
    return false;
  }
}

export function kept(key) {
  try {
    return localStorage.getItem(key);
  } catch {
    return here.get(key) ?? null;
  }
}

export function keep(key, value) {
  here.set(key, value);
  try {
    localStorage.setItem(key, value);
  } catch {
    // Cookies are blocked, and this with them.
  }
}
