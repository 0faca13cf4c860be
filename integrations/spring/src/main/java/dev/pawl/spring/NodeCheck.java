package dev.pawl.spring;

import dev.pawl.Pawl;
import org.springframework.beans.factory.BeanFactoryUtils;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.SmartInitializingSingleton;

/** Has an application without a node, or with two, fail at the start and not at its first call. */
final class NodeCheck implements SmartInitializingSingleton {

  private final ListableBeanFactory beans;

  NodeCheck(ListableBeanFactory beans) {
    this.beans = beans;
  }

  @Override
  public void afterSingletonsInstantiated() {
    String[] names =
        BeanFactoryUtils.beanNamesForTypeIncludingAncestors(beans, Pawl.class, true, false);
    if (names.length == 0) {
      throw new SetupException(
          "@Locked and @OncePerTick need a bean of type dev.pawl.Pawl, and there is none");
    }
    if (names.length > 1 && beans.getBeanProvider(Pawl.class).getIfUnique() == null) {
      throw new SetupException(
          "@Locked and @OncePerTick need one bean of type dev.pawl.Pawl; there are "
              + String.join(", ", names)
              + ": mark the one that is meant as @Primary");
    }
  }
}
