package dev.pawl.cli.demo;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** What goes between the demo and its nodes arrives as it was sent. */
class LinesTest {

  static Stream<Order> orders() {
    return Stream.of(
        new Order.Remind(Act.KILLED, 1_763_197_890_123L, true),
        new Order.Outlive(4711),
        new Order.Quit());
  }

  @ParameterizedTest
  @MethodSource("orders")
  void orders(Order order) {
    assertThat(Order.parse(order.line())).isEqualTo(order);
  }

  @ParameterizedTest
  @EnumSource
  void reports(Report.Kind kind) {
    assertThat(Report.parse(new Report(kind).line())).isEqualTo(new Report(kind));
    assertThat(Report.parse(new Report(kind, "69 no\nanswer").line()))
        .isEqualTo(new Report(kind, "69 no answer"));
  }
}
