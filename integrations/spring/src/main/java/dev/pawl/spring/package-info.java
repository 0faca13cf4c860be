/**
 * Pawl in Spring: {@link dev.pawl.spring.Locked} on a method, {@link dev.pawl.spring.OncePerTick}
 * beside {@code @Scheduled}.
 *
 * <p>How the parts work together:
 *
 * <ul>
 *   <li>{@code LockedAdvisor} puts {@code LockedInterceptor} around methods that are
 *       {@code @Locked}, outside of their transactions. What a thread holds is in {@code
 *       HeldLocks}.
 *   <li>{@code TransactionWatch} listens to every transaction manager: a transaction that begins
 *       under a lock admits the token at the fence, and commits only if the lease still stands.
 *   <li>{@code TickProcessor} takes the place of Spring's own processor of {@code @Scheduled}, and
 *       gives each task that is {@code @OncePerTick} a trigger that remembers its scheduled time.
 *   <li>{@code OnceTasks} turns ticks into runs of jobs, and ends them with the context.
 * </ul>
 *
 * <p>The tests are in {@code spring-boot-3-tests}, and run a second time in {@code
 * spring-boot-4-tests}.
 */
@org.jspecify.annotations.NullMarked
package dev.pawl.spring;
