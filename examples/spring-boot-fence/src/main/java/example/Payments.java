package example;

import dev.pawl.spring.Locked;
import org.springframework.stereotype.Service;

/** Pays invoices: of all servers one at a time for each. */
@Service
public class Payments {

  private final PaymentProvider provider;
  private final Ledger ledger;

  Payments(PaymentProvider provider, Ledger ledger) {
    this.provider = provider;
    this.ledger = ledger;
  }

  @Locked("'invoice:' + #invoice")
  public void pay(long invoice) {
    String receipt = provider.charge(invoice); // Slow, and so in no transaction.
    ledger.book(invoice, receipt); // What if this server was stopped in between?
  }
}
