package example;

import java.nio.file.Files;
import java.nio.file.Path;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.stereotype.Service;

/** Stands for a service on the internet, which answers when a file is there. */
@Service
public class PaymentProvider {

  private final String server;
  private final Path answer;

  PaymentProvider(
      @Value("${app.server}") String server, @Value("${app.answer}") Path answer) {
    this.server = server;
    this.answer = answer;
  }

  public String charge(long invoice) {
    System.out.println("charges invoice " + invoice);
    while (!Files.exists(answer)) {
      try {
        Thread.sleep(20);
      } catch (InterruptedException e) {
        throw new IllegalStateException("interrupted", e);
      }
    }
    return "receipt of " + server;
  }
}
