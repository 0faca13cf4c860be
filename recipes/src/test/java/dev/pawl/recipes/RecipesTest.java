package dev.pawl.recipes;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.pawl.Election;
import dev.pawl.Lease;
import dev.pawl.Pawl;
import dev.pawl.memory.MemoryStore;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.Executors;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.flowable.engine.ProcessEngine;
import org.flowable.engine.ProcessEngineConfiguration;
import org.flowable.engine.impl.cfg.ProcessEngineConfigurationImpl;
import org.flowable.engine.impl.cfg.StandaloneInMemProcessEngineConfiguration;
import org.flowable.job.service.impl.asyncexecutor.AsyncExecutor;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.springframework.batch.core.BatchStatus;
import org.springframework.batch.core.configuration.support.MapJobRegistry;
import org.springframework.batch.core.job.Job;
import org.springframework.batch.core.job.JobExecution;
import org.springframework.batch.core.job.builder.JobBuilder;
import org.springframework.batch.core.job.parameters.JobParameters;
import org.springframework.batch.core.launch.support.TaskExecutorJobOperator;
import org.springframework.batch.core.repository.support.ResourcelessJobRepository;
import org.springframework.batch.core.step.builder.StepBuilder;
import org.springframework.batch.infrastructure.item.ItemWriter;
import org.springframework.batch.infrastructure.item.support.ListItemReader;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.task.TaskRejectedException;
import org.springframework.scheduling.annotation.EnableAsync;
import org.springframework.scheduling.concurrent.ThreadPoolTaskExecutor;

/** Each recipe of the guide does what it says, with two nodes on one store. */
class RecipesTest {

  private final MemoryStore store = new MemoryStore();
  private final Pawl here = node("here");
  private final Pawl there = node("there");

  private Pawl node(String label) {
    // On a busy machine an answer may take a while.
    return Pawl.builder(store).label(label).responseTimeout(Duration.ofSeconds(30)).build();
  }

  @AfterEach
  void close() {
    here.close();
    there.close();
    store.close();
  }

  private static void until(BooleanSupplier state) {
    long start = System.nanoTime();
    while (!state.getAsBoolean()) {
      assertThat(System.nanoTime() - start).isLessThan(TimeUnit.SECONDS.toNanos(60));
      LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(5));
    }
  }

  @Test
  void aTimerOnEveryNodeRunsOnceAPeriod() {
    ScheduledExecutorService timers = Executors.newScheduledThreadPool(2);
    LinkedBlockingQueue<Instant> ticks = new LinkedBlockingQueue<>();
    Duration period = Duration.ofMillis(200);
    for (Pawl pawl : List.of(here, there)) {
      var unused =
          OncePerPeriod.schedule(timers, pawl.job("report"), period, run -> ticks.add(run.tick()));
    }
    until(() -> ticks.size() >= 5);
    timers.shutdownNow();
    assertThat(ticks).doesNotHaveDuplicates();
  }

  @Configuration
  @EnableAsync
  static class AsyncApplication {

    static final Set<Long> TOKENS = ConcurrentHashMap.newKeySet();
    static final AtomicInteger AT_WORK = new AtomicInteger();

    @Bean
    Executor taskExecutor() {
      ThreadPoolTaskExecutor executor = new ThreadPoolTaskExecutor();
      executor.setCorePoolSize(4);
      return executor;
    }

    @Bean
    Invoices invoices() {
      return new Invoices(
          token -> {
            assertThat(AT_WORK.incrementAndGet()).isEqualTo(1);
            assertThat(Thread.currentThread().getName()).startsWith("taskExecutor");
            TOKENS.add(token);
            AT_WORK.decrementAndGet();
          });
    }
  }

  @Test
  void asynchronousWorkOwnsItsLease() throws Exception {
    try (var context = new AnnotationConfigApplicationContext(AsyncApplication.class)) {
      InvoiceDesk mine = new InvoiceDesk(here, context.getBean(Invoices.class));
      InvoiceDesk theirs = new InvoiceDesk(there, context.getBean(Invoices.class));
      CompletableFuture<?>[] all = new CompletableFuture<?>[20];
      for (int i = 0; i < all.length; i++) {
        all[i] = (i % 2 == 0 ? mine : theirs).settle(42);
      }
      CompletableFuture.allOf(all).get(60, TimeUnit.SECONDS);
      assertThat(AsyncApplication.TOKENS).hasSize(20);
      assertThat(here.lock("invoice:42").tryAcquire(Duration.ofSeconds(30))).isPresent();
    }
  }

  @Test
  void workThatTheExecutorRefusesGivesItsLeaseBack() throws Exception {
    Invoices full =
        new Invoices(token -> {}) {
          @Override
          public CompletableFuture<Long> settle(Lease lease) {
            throw new TaskRejectedException("as the proxy of @Async does, with a full queue");
          }
        };
    InvoiceDesk desk = new InvoiceDesk(here, full);
    assertThatThrownBy(() -> desk.settle(42).get(60, TimeUnit.SECONDS))
        .hasCauseInstanceOf(TaskRejectedException.class);
    assertThat(there.lock("invoice:42").tryAcquire(Duration.ofSeconds(30))).isPresent();
  }

  private static final class Batch {
    final LinkedBlockingQueue<String> written = new LinkedBlockingQueue<>();
    final TaskExecutorJobOperator operator = new TaskExecutorJobOperator();
    final LockedBatch locked;
    final Job job;

    Batch(Pawl pawl, ItemWriter<String> before) throws Exception {
      locked = new LockedBatch(pawl, "import");
      ResourcelessJobRepository repository = new ResourcelessJobRepository();
      operator.setJobRepository(repository);
      operator.setJobRegistry(new MapJobRegistry());
      operator.afterPropertiesSet();
      job =
          new JobBuilder("import", repository)
              .start(
                  new StepBuilder("copy", repository)
                      .<String, String>chunk(1)
                      .reader(new ListItemReader<>(List.of("a", "b")))
                      .writer(
                          chunk -> {
                            before.write(chunk);
                            written.addAll(chunk.getItems());
                          })
                      .listener(locked)
                      .build())
              .build();
    }

    Optional<JobExecution> start() throws Exception {
      return locked.start(operator, job, new JobParameters());
    }
  }

  @Test
  void aBatchRunsOnOneNodeAtATime() throws Exception {
    Batch theirs = new Batch(there, chunk -> {});
    Batch mine = new Batch(here, chunk -> assertThat(theirs.start()).isEmpty());
    assertThat(mine.start().orElseThrow().getStatus()).isEqualTo(BatchStatus.COMPLETED);
    assertThat(mine.written).containsExactly("a", "b");
    assertThat(theirs.written).isEmpty();
    assertThat(theirs.start().orElseThrow().getStatus()).isEqualTo(BatchStatus.COMPLETED);
  }

  @Test
  void aBatchThatLostItsLockWritesNothingMore() throws Exception {
    Batch batch =
        new Batch(
            here,
            chunk -> {
              long token =
                  there.inspector().find("batch:import").orElseThrow().holders().get(0).token();
              there.inspector().forceRelease("batch:import", token, "me", "a test");
            });
    assertThatThrownBy(batch::start).hasMessageContaining("lost");
    assertThat(batch.written).containsExactly("a");
  }

  private static ProcessEngine flowable(String url) {
    ProcessEngineConfigurationImpl configuration = new StandaloneInMemProcessEngineConfiguration();
    configuration.setJdbcUrl(url);
    configuration.setDatabaseSchemaUpdate(ProcessEngineConfiguration.DB_SCHEMA_UPDATE_TRUE);
    configuration.setAsyncExecutorActivate(false); // The leader starts it.
    return configuration.buildProcessEngine();
  }

  private static AsyncExecutor executor(ProcessEngine engine) {
    return ((ProcessEngineConfigurationImpl) engine.getProcessEngineConfiguration())
        .getAsyncExecutor();
  }

  @Test
  void theExecutorOfAWorkflowEngineRunsOnTheLeader() {
    ProcessEngine one = flowable("jdbc:h2:mem:flowable;DB_CLOSE_DELAY=-1");
    ProcessEngine other = flowable("jdbc:h2:mem:flowable;DB_CLOSE_DELAY=-1");
    AsyncExecutor mine = executor(one);
    AsyncExecutor theirs = executor(other);
    Election.Campaign first = LeaderOnly.run(here, "flowable-async", mine::start, mine::shutdown);
    until(mine::isActive);
    try (Election.Campaign second =
        LeaderOnly.run(there, "flowable-async", theirs::start, theirs::shutdown)) {
      until(
          () ->
              store
                      .find(Election.PREFIX + "flowable-async")
                      .toCompletableFuture()
                      .join()
                      .orElseThrow()
                      .waiters()
                      .size()
                  == 1);
      assertThat(theirs.isActive()).isFalse();
      first.close();
      until(theirs::isActive);
      assertThat(mine.isActive()).isFalse();
      first = LeaderOnly.run(here, "flowable-async", mine::start, mine::shutdown);
    }
    until(mine::isActive); // Started again, after it was shut down.
    first.close();
    until(() -> !mine.isActive());
    one.close();
    other.close();
  }

  @Test
  void thePageShowsThisCode() throws Exception {
    String page = Files.readString(Path.of("../docs/guide/recipes.md"));
    for (String name :
        List.of("OncePerPeriod", "Invoices", "InvoiceDesk", "LockedBatch", "LeaderOnly")) {
      String source = Files.readString(Path.of("src/main/java/dev/pawl/recipes/" + name + ".java"));
      assertThat(page).contains(source.substring(source.indexOf("/**")).strip());
    }
  }
}
