package dev.pawl.cli.pair;

import org.junit.jupiter.api.condition.EnabledIfSystemProperty;

/** The pair behaves as every store does, while Redis has the locks. */
@EnabledIfSystemProperty(named = "pawl.long", matches = "true", disabledReason = "takes minutes")
class PrimaryModeServersTest extends ServersConformance {

  @Override
  void prepare(String pair) {}
}
