package billing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.pawl.Lease;
import dev.pawl.LeaseLostException;
import dev.pawl.spring.Locked;
import dev.pawl.spring.boot.PawlAutoConfiguration;
import dev.pawl.testkit.PawlTest;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;

@SpringBootTest(properties = "pawl.store=") // The bean below is the store.
class InvoicesTest {

  public static class Invoices {
    private final List<Long> settled = new ArrayList<>();

    @Locked("'invoice:' + #id")
    public void settle(long id, Runnable payment, Lease lease) {
      payment.run();
      lease.ensureHeld(); // Perhaps that took too long, and another server is at it.
      settled.add(id);
    }

    public List<Long> settled() {
      return settled;
    }
  }

  @Configuration
  @ImportAutoConfiguration(PawlAutoConfiguration.class) // Or the whole application.
  @Import(Invoices.class)
  static class App {
    @Bean
    PawlTest store() {
      return new PawlTest();
    }
  }

  @Autowired PawlTest store;
  @Autowired Invoices invoices;

  @Test
  void anInvoiceWhoseLeaseIsLostDuringThePaymentIsNotSettled() {
    Runnable payment = () -> store.steal("invoice:42").close();
    assertThatThrownBy(() -> invoices.settle(42, payment, null))
        .isInstanceOf(LeaseLostException.class);
    assertThat(invoices.settled()).isEmpty();
  }
}
