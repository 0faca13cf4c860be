package dev.pawl.spring.boot;

import dev.pawl.Store;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.BeanFactoryUtils;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;

/** The bean of the application that the store stands on: the only one, or the one that is named. */
final class ChosenStore {

  private record Candidate(String bean, StoreCandidates kind) {

    @Override
    public String toString() {
      return "\"" + bean + "\" (" + kind.type().getSimpleName() + ")";
    }
  }

  private final ConfigurableListableBeanFactory beans;
  private final List<StoreCandidates> kinds;

  ChosenStore(ConfigurableListableBeanFactory beans, List<StoreCandidates> kinds) {
    this.beans = beans;
    this.kinds = kinds;
  }

  /** Opens it; the bean {@code dependent} is destroyed before what it stands on. */
  Store open(@Nullable String named, String dependent) {
    Candidate chosen = choose(named);
    beans.registerDependentBean(chosen.bean(), dependent);
    return chosen.kind().open(beans.getBean(chosen.bean(), chosen.kind().type()));
  }

  private Candidate choose(@Nullable String named) {
    List<Candidate> all = new ArrayList<>();
    for (StoreCandidates kind : kinds) {
      List<String> names =
          Arrays.asList(
              BeanFactoryUtils.beanNamesForTypeIncludingAncestors(beans, kind.type(), true, false));
      List<String> primary = names.stream().filter(this::isPrimary).toList();
      boolean isDecided = named == null && primary.size() == 1;
      (isDecided ? primary : names).forEach(name -> all.add(new Candidate(name, kind)));
    }
    if (named != null) {
      return all.stream()
          .filter(each -> each.bean().equals(named))
          .findFirst()
          .orElseThrow(
              () ->
                  new StoreChoiceException(
                      "pawl.store-bean is \""
                          + named
                          + "\", and there is no such bean that a store can stand on; there are "
                          + list(all),
                      "Name one of them, or set pawl.store to the URL of a store."));
    }
    if (all.size() == 1) {
      return all.get(0);
    }
    if (all.isEmpty()) {
      throw new StoreChoiceException(
          "Pawl has no store: pawl.store is not set, and the application has no bean that one can"
              + " stand on"
              + (kinds.isEmpty() ? ", nor a store on the class path" : ""),
          "Set pawl.store to a URL, such as sqlite:locks.db or redis://localhost:6379, with the"
              + " module of that store (pawl-jdbc, pawl-redis, pawl-zookeeper, pawl-hazelcast) on"
              + " the class path; in tests, pawl.store=memory: needs nothing else. Or have a"
              + " DataSource, a LettuceConnectionFactory, a CuratorFramework or a HazelcastInstance"
              + " as a bean. pawl.enabled=false turns Pawl off.");
    }
    throw new StoreChoiceException(
        "Pawl can stand on several beans: " + list(all),
        "Name one by pawl.store-bean, such as pawl.store-bean="
            + all.get(0).bean()
            + ", or set pawl.store to the URL of a store.");
  }

  private static String list(List<Candidate> all) {
    return all.isEmpty()
        ? "none"
        : all.stream().map(Candidate::toString).collect(Collectors.joining(", "));
  }

  private boolean isPrimary(String name) {
    if (!beans.containsBeanDefinition(name)) {
      return false;
    }
    BeanDefinition definition = beans.getMergedBeanDefinition(name);
    return definition.isPrimary();
  }
}
