package dev.pawl.cli.pair;

import java.util.List;

/** What happens to the primary of a pair under load. */
interface Fault {

  void begin(PairLoad load);

  void end(PairLoad load);

  /** Returns those of all processes that work meanwhile. */
  default List<Integer> working(List<Integer> all) {
    return all;
  }

  static Fault of(Runnable begin, Runnable end) {
    return new Fault() {
      @Override
      public void begin(PairLoad load) {
        begin.run();
      }

      @Override
      public void end(PairLoad load) {
        end.run();
      }
    };
  }
}
