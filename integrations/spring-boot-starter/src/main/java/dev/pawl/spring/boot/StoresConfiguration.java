package dev.pawl.spring.boot;

import com.hazelcast.core.HazelcastInstance;
import dev.pawl.Store;
import dev.pawl.hazelcast.HazelcastStore;
import dev.pawl.jdbc.JdbcStore;
import dev.pawl.redis.RedisStore;
import dev.pawl.zookeeper.ZooKeeperOptions;
import dev.pawl.zookeeper.ZooKeeperStore;
import javax.sql.DataSource;
import org.apache.curator.framework.CuratorFramework;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.util.ClassUtils;

/** The kinds of beans that a store can stand on, each where the libraries for it are there. */
@Configuration(proxyBeanMethods = false)
class StoresConfiguration {

  private static final boolean SPRING_JDBC =
      ClassUtils.isPresent(
          "org.springframework.jdbc.datasource.lookup.AbstractRoutingDataSource",
          StoresConfiguration.class.getClassLoader());

  @Configuration(proxyBeanMethods = false)
  @ConditionalOnClass({JdbcStore.class, DataSource.class})
  static class Jdbc {

    @Bean
    StoreCandidates pawlJdbcCandidates(PawlProperties properties) {
      return new StoreCandidates() {
        @Override
        public Class<?> type() {
          return DataSource.class;
        }

        @Override
        public Store open(Object bean) {
          DataSource source = (DataSource) bean;
          return JdbcStore.open(
              SPRING_JDBC ? SpringDataSources.forAllThreads(source) : source,
              JdbcSettings.of(properties.jdbc()));
        }
      };
    }
  }

  @Configuration(proxyBeanMethods = false)
  @ConditionalOnClass({RedisStore.class, LettuceConnectionFactory.class})
  static class Redis {

    @Bean
    StoreCandidates pawlRedisCandidates() {
      return new LettuceCandidates();
    }
  }

  @Configuration(proxyBeanMethods = false)
  @ConditionalOnClass({ZooKeeperStore.class, CuratorFramework.class})
  static class ZooKeeper {

    @Bean
    StoreCandidates pawlZooKeeperCandidates() {
      return new StoreCandidates() {
        @Override
        public Class<?> type() {
          return CuratorFramework.class;
        }

        @Override
        public Store open(Object bean) {
          return ZooKeeperStore.over((CuratorFramework) bean, ZooKeeperOptions.DEFAULT);
        }
      };
    }
  }

  @Configuration(proxyBeanMethods = false)
  @ConditionalOnClass({HazelcastStore.class, HazelcastInstance.class})
  static class Hazelcast {

    @Bean
    StoreCandidates pawlHazelcastCandidates() {
      return new StoreCandidates() {
        @Override
        public Class<?> type() {
          return HazelcastInstance.class;
        }

        @Override
        public Store open(Object bean) {
          return HazelcastStore.of((HazelcastInstance) bean);
        }
      };
    }
  }
}
