package dev.pawl.console.api;

import dev.pawl.console.access.User;
import dev.pawl.console.json.Json;
import dev.pawl.console.watch.History;
import dev.pawl.console.watch.Locks;
import dev.pawl.console.watch.Shared;
import dev.pawl.console.watch.StoreWatch;
import jakarta.servlet.http.HttpServletRequest;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * What can be asked under {@code api/v1/}. All of it is answered from what is read once for all;
 * only stepping in goes to the store by itself.
 */
public final class Api {

  /** What a program is shown is no older than this. */
  private static final Duration AGE = Duration.ofMillis(900);

  private static final Duration DOCTOR_AGE = Duration.ofSeconds(10);
  private static final Duration TIMEOUT = Duration.ofSeconds(10);

  private final StoreWatch watch;
  private final Contents contents;
  private final Interventions interventions;
  private final JobInterventions jobs;

  /** Answers for that store. */
  public Api(StoreWatch watch) {
    this.watch = watch;
    this.contents = new Contents(watch);
    this.interventions = new Interventions(watch);
    this.jobs = new JobInterventions(watch);
  }

  /**
   * Answers a question.
   *
   * @param path behind {@code api/v1/}, as it was sent
   * @throws Problem if there is no such thing
   */
  public Map<String, @Nullable Object> get(Request request, String path) {
    User user = request.requireUser();
    Parameters parameters = new Parameters(request.http());
    String[] parts = path.split("/", -1);
    if (parts.length == 2 && parts[0].equals("locks")) {
      String name = Names.check(Segment.decode(parts[1]));
      Locks locks = locks();
      return with(locks.now(), contents.lock(name, locks, history()));
    }
    return switch (path) {
      case "session" -> session(request, user);
      case "locks" ->
          LocksView.page(locks(), parameters.query(), parameters.offset(), parameters.limit());
      case "jobs" -> with(history().now(), contents.jobs(history()));
      case "nodes" -> with(locks().now(), contents.nodes(locks(), history()));
      case "graph" -> with(locks().now(), contents.graph(locks()));
      case "audit" -> with(history().now(), contents.audit(history()));
      case "doctor" -> {
        Map<String, @Nullable Object> doctor =
            contents.doctor(watch.doctor().fresh(DOCTOR_AGE, TIMEOUT));
        doctor.put("reads", contents.reads());
        yield doctor;
      }
      default -> throw Problem.notFound();
    };
  }

  /** Steps in. */
  public Map<String, @Nullable Object> post(
      Request request, String path, Supplier<Map<String, String>> body) {
    String[] parts = path.split("/", -1);
    if (parts.length == 3 && parts[0].equals("locks") && parts[2].equals("release")) {
      User user = request.requireOperator();
      return interventions.release(user, Names.check(Segment.decode(parts[1])), body.get());
    }
    if (parts.length == 3 && parts[0].equals("jobs")) {
      User user = request.requireOperator();
      String job = Names.check(Segment.decode(parts[1]));
      return switch (parts[2]) {
        case "pause" -> jobs.pause(user, job, body.get());
        case "resume" -> jobs.resume(user, job, body.get());
        case "rerun" -> jobs.rerun(user, job, body.get());
        case "withdraw" -> jobs.withdraw(user, job, body.get());
        default -> throw Problem.notFound();
      };
    }
    throw Problem.notFound();
  }

  /** Tells which methods there are under a path; empty if there is nothing. */
  public static String methods(String path) {
    if (path.matches("locks/[^/]+/release|jobs/[^/]+/(pause|resume|rerun|withdraw)")) {
      return "POST";
    }
    if (path.equals("session")) {
      return "GET, POST, DELETE";
    }
    return path.matches("locks|locks/[^/]+|jobs|nodes|graph|audit|doctor|events") ? "GET" : "";
  }

  /** Returns how the store stands, as far as that is known without asking it. */
  Map<String, @Nullable Object> standing() {
    return Json.object("absent", watch.isAbsent(), "mode", watch.mode());
  }

  /** Returns what a page shows that asks for events. */
  View view(HttpServletRequest request) {
    Parameters parameters = new Parameters(request);
    Shared<Locks> locks = watch.locks();
    Shared<History> history = watch.history();
    return switch (parameters.text("view", "")) {
      case "locks" ->
          new LocksView(watch, parameters.query(), parameters.offset(), parameters.limit());
      case "lock" -> {
        String name = Names.check(parameters.text("name", ""));
        yield new WholeView(
            List.of(locks, history),
            this::now,
            () -> both((some, past) -> contents.lock(name, some, past)));
      }
      case "jobs" -> new JobsView(history, this::now);
      case "nodes" ->
          new WholeView(List.of(locks, history), this::now, () -> both(contents::nodes));
      case "graph" ->
          new WholeView(
              List.of(locks),
              this::now,
              () -> Optional.ofNullable(locks.latest().value()).map(contents::graph));
      case "audit" -> new WholeView(List.of(history), this::now, () -> past().map(contents::audit));
      case "doctor" ->
          new WholeView(
              List.of(watch.doctor()),
              this::now,
              () -> Optional.ofNullable(watch.doctor().latest().value()).map(contents::doctor));
      default ->
          throw Problem.malformed(
              "view has to be locks, lock, jobs, nodes, graph, audit or doctor");
    };
  }

  private Map<String, @Nullable Object> session(Request request, User user) {
    return Json.object(
        "user",
        user.name(),
        "operator",
        user.isOperator(),
        "csrfToken",
        request.csrfToken(),
        "expires",
        request.session().map(session -> session.expires()),
        "store",
        watch.describe(),
        "absent",
        watch.isAbsent(),
        "mode",
        watch.mode());
  }

  private Locks locks() {
    return watch.locks().fresh(AGE, TIMEOUT);
  }

  private History history() {
    return watch.history().fresh(AGE, TIMEOUT);
  }

  private Optional<History> past() {
    return Optional.ofNullable(watch.history().latest().value());
  }

  private interface OfBoth {
    Map<String, @Nullable Object> of(Locks locks, History history);
  }

  private Optional<Map<String, @Nullable Object>> both(OfBoth content) {
    Locks locks = watch.locks().latest().value();
    return locks == null ? Optional.empty() : past().map(history -> content.of(locks, history));
  }

  /** Returns what the store's clock shows, by what was read last; empty if nothing was. */
  Optional<Instant> now() {
    Optional<Instant> byLocks = carriedOn(watch.locks().latest(), Locks::now);
    return byLocks.isPresent() ? byLocks : carriedOn(watch.history().latest(), History::now);
  }

  private static <T> Optional<Instant> carriedOn(Shared.Seen<T> seen, Function<T, Instant> now) {
    T value = seen.value();
    return value == null
        ? Optional.empty()
        : Optional.of(now.apply(value).plusNanos(System.nanoTime() - seen.atNanos()));
  }

  private static Map<String, @Nullable Object> with(
      Instant now, Map<String, @Nullable Object> content) {
    Map<String, @Nullable Object> page = Json.object("now", now);
    page.putAll(content);
    return page;
  }
}
