package dev.pawl.micrometer;

import dev.pawl.Job;
import dev.pawl.Pawl;
import io.micrometer.common.KeyValue;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationRegistry;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Observations of a node's calls for locks ({@code pawl.acquiring}) and of the runs of its jobs
 * ({@code pawl.running}), for traces: a span shows how long a request waited for its lock, and the
 * work of a job is the child of its run.
 *
 * <p>The name of the lock or job is a key value of high cardinality, {@code pawl.name}: it is in
 * the span and in no metric. The outcome is one of low cardinality.
 *
 * <pre>{@code
 * PawlObservations observations = new PawlObservations(pawl, registry);
 * }</pre>
 */
public final class PawlObservations implements AutoCloseable {

  private final Runnable end;

  /** Begins to observe that node. */
  public PawlObservations(Pawl pawl, ObservationRegistry registry) {
    this.end = pawl.monitor(new Observer(Objects.requireNonNull(registry, "registry")));
  }

  /** Ends it. */
  @Override
  public void close() {
    end.run();
  }

  private record Observer(ObservationRegistry registry) implements Pawl.Monitor {

    @Override
    public @Nullable Object began(String name) {
      return registry.isNoop()
          ? null
          : Observation.createNotStarted("pawl.acquiring", registry)
              .contextualName("acquire " + name)
              .highCardinalityKeyValue("pawl.name", name)
              .start();
    }

    private static KeyValue outcome(String value) {
      return KeyValue.of("outcome", value);
    }

    @Override
    public void ended(@Nullable Object began, String name, Ending ending, long tookNanos) {
      if (began instanceof Observation observation) {
        observation.lowCardinalityKeyValue(outcome(PawlMetrics.text(ending))).stop();
      }
    }

    @Override
    public <T> T run(Job.Run run, Job.Body<T> body) throws Exception {
      Observation observation =
          Observation.createNotStarted("pawl.running", registry)
              .contextualName("job " + run.job())
              .highCardinalityKeyValue("pawl.name", run.job())
              .highCardinalityKeyValue("pawl.tick", run.tick().toString())
              .start();
      try (Observation.Scope scope = observation.openScope()) {
        T result = body.run(run);
        observation.lowCardinalityKeyValue(outcome("ran"));
        return result;
      } catch (Throwable e) {
        observation.lowCardinalityKeyValue(outcome("failed")).error(e);
        throw e;
      } finally {
        observation.stop();
      }
    }
  }
}
