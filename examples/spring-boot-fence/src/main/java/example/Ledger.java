package example;

import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.stereotype.Service;
import org.springframework.transaction.annotation.Transactional;

/** Writes to the database. It knows of no lock, no lease and no token. */
@Service
public class Ledger {

  private final JdbcTemplate jdbc;

  Ledger(JdbcTemplate jdbc) {
    this.jdbc = jdbc;
  }

  @Transactional
  public void book(long invoice, String receipt) {
    jdbc.update(
        "INSERT INTO payment (invoice, receipt) VALUES (?, ?)"
            + " ON CONFLICT (invoice) DO UPDATE SET receipt = excluded.receipt",
        invoice,
        receipt);
  }

  public String receipt(long invoice) {
    return jdbc.queryForObject(
        "SELECT receipt FROM payment WHERE invoice = ?", String.class, invoice);
  }
}
