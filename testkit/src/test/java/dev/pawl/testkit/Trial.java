package dev.pawl.testkit;

import dev.pawl.spi.LockStore;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.engine.discovery.DiscoverySelectors;
import org.junit.platform.engine.support.descriptor.MethodSource;
import org.junit.platform.launcher.TagFilter;
import org.junit.platform.launcher.TestExecutionListener;
import org.junit.platform.launcher.TestIdentifier;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;

/** The suite on a store that is handed in, run from within a test. Not a test by itself. */
@ExtendWith(Trial.OfTheRun.class)
final class Trial extends StoreConformance {

  private static final String RUN = "pawl.run";
  private static final Map<String, Tried> RUNS = new ConcurrentHashMap<>();

  /** Of what is known to be broken, and need not be given the time that a busy machine takes. */
  private static final Duration IMPATIENCE = Duration.ofMillis(300);

  private final Tried tried;
  private final BendableStore store;

  Trial(Tried tried) {
    this.tried = tried;
    this.store = tried.store.get();
  }

  /**
   * What is tried in a run.
   *
   * @param way what stands between the suite and the store
   */
  private record Tried(
      Supplier<? extends BendableStore> store, UnaryOperator<LockStore> way, boolean broken) {}

  /** What became of the cases, each as {@code Topic.case}; and for people, why they failed. */
  record Result(
      List<String> passed, List<String> failed, List<String> skipped, List<String> reasons) {

    Result() {
      this(new ArrayList<>(), new ArrayList<>(), new ArrayList<>(), new ArrayList<>());
    }
  }

  /** Runs one layer of the suite, {@code spi} or {@code api}, with a new store for each case. */
  static Result run(Supplier<? extends BendableStore> store, String layer) {
    return run(store, UnaryOperator.identity(), layer);
  }

  /** Runs one layer of the suite on a store to which there is some way. */
  static Result run(
      Supplier<? extends BendableStore> store, UnaryOperator<LockStore> way, String layer) {
    return run(new Tried(store, way, false), all(layer));
  }

  /** Runs one layer of the suite on a store that will not pass, and is not waited for long. */
  static Result runBroken(Supplier<? extends BendableStore> store, String layer) {
    return run(new Tried(store, UnaryOperator.identity(), true), all(layer));
  }

  private static LauncherDiscoveryRequestBuilder all(String layer) {
    return LauncherDiscoveryRequestBuilder.request()
        .selectors(DiscoverySelectors.selectClass(Trial.class))
        .filters(TagFilter.includeTags(layer));
  }

  /** Runs one case, {@code Topic.case}. */
  static Result runCase(Supplier<? extends BendableStore> store, String name) {
    int dot = name.indexOf('.');
    return run(
        new Tried(store, UnaryOperator.identity(), false),
        LauncherDiscoveryRequestBuilder.request()
            .selectors(
                DiscoverySelectors.selectNestedMethod(
                    List.of(Trial.class.getName()),
                    StoreConformance.class.getName() + "$" + name.substring(0, dot),
                    name.substring(dot + 1))));
  }

  private static Result run(Tried tried, LauncherDiscoveryRequestBuilder request) {
    Result result = new Result();
    String run = UUID.randomUUID().toString();
    RUNS.put(run, tried);
    LauncherFactory.create()
        .execute(request.configurationParameter(RUN, run).build(), new Recorder(result));
    RUNS.remove(run);
    return result;
  }

  @Override
  protected LockStore open() {
    return tried.way.apply(store.instance());
  }

  @Override
  protected void pass(Duration duration) {
    store.clock.skip(duration);
  }

  @Override
  protected long leftovers(LockStore opened, String prefix) {
    return store.leftovers();
  }

  @Override
  protected Duration patience() {
    return tried.broken ? IMPATIENCE : super.patience();
  }

  /** Hands what is tried in a run to each instance of the suite. */
  static final class OfTheRun implements ParameterResolver {
    @Override
    public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
      return parameter.getParameter().getType() == Tried.class;
    }

    @Override
    public Object resolveParameter(ParameterContext parameter, ExtensionContext context) {
      return RUNS.get(context.getConfigurationParameter(RUN).orElseThrow());
    }
  }

  private record Recorder(Result result) implements TestExecutionListener {
    @Override
    public void executionSkipped(TestIdentifier test, String reason) {
      result.skipped.add(nameOf(test));
    }

    @Override
    public void executionFinished(TestIdentifier test, TestExecutionResult outcome) {
      if (!test.isTest()) {
        return;
      }
      switch (outcome.getStatus()) {
        case SUCCESSFUL -> result.passed.add(nameOf(test));
        case FAILED -> {
          outcome.getThrowable().ifPresent(why -> result.reasons.add(nameOf(test) + ": " + why));
          result.failed.add(nameOf(test));
        }
        case ABORTED -> result.skipped.add(nameOf(test));
      }
    }

    private static String nameOf(TestIdentifier test) {
      return test.getSource()
          .filter(MethodSource.class::isInstance)
          .map(MethodSource.class::cast)
          .map(source -> topic(source.getClassName()) + "." + source.getMethodName())
          .orElse(test.getDisplayName());
    }

    private static String topic(String className) {
      return className.substring(className.lastIndexOf('$') + 1);
    }
  }
}
