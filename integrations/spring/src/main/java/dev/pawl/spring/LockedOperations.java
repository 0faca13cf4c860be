package dev.pawl.spring;

import dev.pawl.Lease;
import dev.pawl.LockOptions;
import dev.pawl.LockTimeoutException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.Future;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.support.AopUtils;
import org.springframework.beans.factory.config.ConfigurableBeanFactory;
import org.springframework.core.KotlinDetector;
import org.springframework.core.ReactiveAdapter;
import org.springframework.core.ReactiveAdapterRegistry;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.util.ClassUtils;
import org.springframework.util.ReflectionUtils;
import org.springframework.util.function.SingletonSupplier;

/** Reads {@link Locked} from methods; what cannot work is refused when the bean is made. */
final class LockedOperations {

  private static final boolean REACTOR =
      ClassUtils.isPresent("reactor.core.publisher.Flux", LockedOperations.class.getClassLoader());

  private record Key(Method method, Class<?> type) {}

  private final ConcurrentMap<Key, Optional<LockedOperation>> known = new ConcurrentHashMap<>();
  private final ConfigurableBeanFactory beans;
  private final Texts texts;
  private final SingletonSupplier<PawlDefaults> defaults;

  LockedOperations(ConfigurableBeanFactory beans) {
    this.beans = beans;
    this.texts = new Texts(beans);
    this.defaults =
        SingletonSupplier.of(
            () ->
                beans.getBeanProvider(PawlDefaults.class).getIfAvailable(() -> PawlDefaults.NONE));
  }

  /** Returns what is locked around that method of a bean of that type; empty if nothing is. */
  Optional<LockedOperation> find(Method method, Class<?> type) {
    Key key = new Key(method, type);
    Optional<LockedOperation> found = known.get(key);
    if (found == null) {
      // Not computeIfAbsent: what is asked for meanwhile is looked for here, too.
      found = read(method, type);
      if (found.isPresent()) { // All methods of all beans are looked at once.
        known.put(key, found);
      }
    }
    return found;
  }

  private Optional<LockedOperation> read(Method method, Class<?> beanType) {
    Class<?> type = ClassUtils.getUserClass(beanType);
    // The methods of such a class are final, or another one's on each node: its interface counts.
    Method specific =
        LockName.isMadeAtRunTime(type) ? method : AopUtils.getMostSpecificMethod(method, type);
    Locked locked = AnnotatedElementUtils.findMergedAnnotation(specific, Locked.class);
    if (locked == null && !specific.equals(method)) {
      locked = AnnotatedElementUtils.findMergedAnnotation(method, Locked.class);
    }
    if (locked == null || specific.isBridge()) {
      return Optional.empty();
    }
    try {
      return Optional.of(read(locked, specific, type));
    } catch (IllegalArgumentException e) {
      throw new SetupException(
          "@Locked on " + type.getName() + "." + method.getName() + ": " + e.getMessage(), e);
    }
  }

  private LockedOperation read(Locked locked, Method method, Class<?> type) {
    checkModifiers(method);
    if (locked.capacity() < 0 || locked.permits() < 1) {
      throw new IllegalArgumentException("capacity and permits are positive");
    }
    if (locked.capacity() == 0 && locked.permits() != 1) {
      throw new IllegalArgumentException(
          "permits = " + locked.permits() + " needs a capacity: how many there are");
    }
    if (locked.capacity() > 0 && locked.shared()) {
      throw new IllegalArgumentException("it is either shared, or has a capacity");
    }
    if (locked.capacity() > 0 && locked.permits() > locked.capacity()) {
      throw new IllegalArgumentException(
          "permits = " + locked.permits() + " is more than capacity = " + locked.capacity());
    }
    Optional<Duration> lease = texts.duration("lease", locked.lease());
    lease.ifPresent(LockOptions.DEFAULT::withLease); // It checks itself.
    LockedOperation.Returns returns = returns(method);
    Optional<Method> fallback = fallback(texts.resolve(locked.fallback()), method, type);
    boolean skips = locked.ifBusy() == Locked.IfBusy.SKIP;
    if (skips && fallback.isPresent()) {
      throw new IllegalArgumentException("ifBusy = SKIP and a fallback exclude each other");
    }
    if (skips && method.getReturnType().isPrimitive() && method.getReturnType() != void.class) {
      throw new IllegalArgumentException(
          "a call that is skipped has no result, and the method returns "
              + method.getReturnType()
              + "; return an Optional, or name a fallback method");
    }
    return new LockedOperation(
        method,
        LockName.of(texts.resolve(locked.name()), method, type, beans),
        waitFor(texts.duration("waitFor", locked.waitFor()), skips || fallback.isPresent()),
        lease,
        locked.capacity() > 0
            ? HeldLocks.Kind.PERMITS
            : locked.shared() ? HeldLocks.Kind.SHARED : HeldLocks.Kind.EXCLUSIVE,
        locked.permits(),
        locked.capacity(),
        skips,
        fallback.orElse(null),
        fallback.map(LockedOperations::takesError).orElse(false),
        locked.inTransaction(),
        locked.beforeCommit(),
        returns);
  }

  private Supplier<Optional<Duration>> waitFor(Optional<Duration> said, boolean bearsBusy) {
    Optional<Duration> here = said.or(() -> bearsBusy ? Optional.of(Duration.ZERO) : said);
    return here.isPresent() ? () -> here : () -> defaults.obtain().waitFor();
  }

  private static void checkModifiers(Method method) {
    int modifiers = method.getModifiers();
    if (Modifier.isPrivate(modifiers)
        || Modifier.isStatic(modifiers)
        || Modifier.isFinal(modifiers)) {
      throw new IllegalArgumentException(
          "the method is private, static or final, so that no proxy can stand before it");
    }
  }

  private static LockedOperation.Returns returns(Method method) {
    Class<?> type = method.getReturnType();
    if (KotlinDetector.isSuspendingFunction(method)) {
      throw new IllegalArgumentException(
          "a suspending function is not supported: return a Mono, or lock by hand");
    }
    if (CompletionStage.class.isAssignableFrom(type)) {
      return LockedOperation.Returns.STAGE;
    }
    if (Future.class.isAssignableFrom(type)) {
      throw new IllegalArgumentException(
          "nobody tells when a Future has completed: return a CompletableFuture");
    }
    ReactiveAdapter adapter = ReactiveAdapterRegistry.getSharedInstance().getAdapter(type);
    boolean isPublisher = type.getName().equals("org.reactivestreams.Publisher");
    if (adapter == null && !isPublisher) {
      return LockedOperation.Returns.VALUE;
    }
    if (!REACTOR) {
      throw new IllegalArgumentException(
          "to hold a lock until a " + type.getName() + " has completed takes reactor-core");
    }
    return LockedOperation.Returns.REACTIVE;
  }

  private static Optional<Method> fallback(String name, Method method, Class<?> type) {
    if (name.isEmpty()) {
      return Optional.empty();
    }
    List<Class<?>> parameters = new ArrayList<>(Arrays.asList(method.getParameterTypes()));
    parameters.removeIf(each -> each == Lease.class);
    Method found = find(type, name, parameters);
    if (found == null) {
      parameters.add(LockTimeoutException.class);
      found = find(type, name, parameters);
    }
    if (found == null || !isReturnedFor(method, found)) {
      throw new IllegalArgumentException(
          "there is no fallback method "
              + name
              + " with the same parameters (without Lease, perhaps with a LockTimeoutException at"
              + " the end) that returns "
              + method.getReturnType().getName());
    }
    ReflectionUtils.makeAccessible(found);
    return Optional.of(found);
  }

  private static @Nullable Method find(Class<?> type, String name, List<Class<?>> parameters) {
    return ReflectionUtils.findMethod(type, name, parameters.toArray(Class<?>[]::new));
  }

  private static boolean isReturnedFor(Method method, Method instead) {
    return method.getReturnType() == void.class
        || ClassUtils.isAssignable(method.getReturnType(), instead.getReturnType());
  }

  private static boolean takesError(Method fallback) {
    Class<?>[] types = fallback.getParameterTypes();
    return types.length > 0 && types[types.length - 1] == LockTimeoutException.class;
  }
}
