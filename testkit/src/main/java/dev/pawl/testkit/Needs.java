package dev.pawl.testkit;

import dev.pawl.spi.Capability;
import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * What a store must be able to do for a case, or for all cases of a class, to make sense. A store
 * that cannot is not skipped: it passes the case if the user is refused properly (see {@link
 * Refusals}).
 */
@Inherited
@Retention(RetentionPolicy.RUNTIME)
@Target({ElementType.TYPE, ElementType.METHOD})
@interface Needs {
  Capability[] value();
}
