package dev.pawl.cli.pair;

/** The pair behaves as every store does, while Redis has the locks. */
class PrimaryModeServersTest extends ServersConformance {

  @Override
  void prepare(String pair) {}
}
