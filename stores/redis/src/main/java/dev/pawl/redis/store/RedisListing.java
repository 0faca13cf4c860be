package dev.pawl.redis.store;

import dev.pawl.LockInfo;
import dev.pawl.redis.port.RedisPort;
import dev.pawl.redis.port.Script;
import dev.pawl.spi.Listing;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** Lists the names in use, by walking over the keys: for people, not for the way of a lock. */
public final class RedisListing {

  private static final int FIND_AT_ONCE = 100;

  static final Comparator<String> BY_BYTES =
      (a, b) ->
          Arrays.compareUnsigned(
              a.getBytes(StandardCharsets.UTF_8), b.getBytes(StandardCharsets.UTF_8));

  private final RedisPort port;
  private final RedisKeys keys;
  private final Script find;

  public RedisListing(RedisPort port, RedisKeys keys, Script find) {
    this.port = port;
    this.keys = keys;
    this.find = find;
  }

  public CompletionStage<List<LockInfo>> list(Listing listing) {
    return port.scan(keys.pattern(listing.prefix())).thenCompose(found -> describe(found, listing));
  }

  private CompletionStage<List<LockInfo>> describe(List<String> found, Listing listing) {
    List<String> names =
        found.stream()
            .distinct()
            .map(key -> Map.entry(key, RedisKeys.name(key)))
            .filter(entry -> keys.key(entry.getValue()).equals(entry.getKey()))
            .map(Map.Entry::getValue)
            .filter(name -> name.startsWith(listing.prefix()))
            .sorted(BY_BYTES)
            // Which ones are in use is seen only after they are read.
            .limit(listing.onlyInUse() ? Long.MAX_VALUE : listing.limit())
            .toList();
    Map<String, List<String>> byTag = new LinkedHashMap<>();
    names.forEach(
        name -> byTag.computeIfAbsent(RedisKeys.tag(name), tag -> new ArrayList<>()).add(name));
    List<CompletableFuture<List<LockInfo>>> parts = new ArrayList<>();
    for (List<String> ofTag : byTag.values()) {
      for (int from = 0; from < ofTag.size(); from += FIND_AT_ONCE) {
        List<String> some = ofTag.subList(from, Math.min(ofTag.size(), from + FIND_AT_ONCE));
        parts.add(
            port.eval(find, some.stream().map(keys::key).toList(), List.of())
                .thenApply(answer -> StoredState.infos(some, answer))
                .thenApply(infos -> infos.stream().filter(listing::admits).toList())
                .toCompletableFuture());
      }
    }
    return CompletableFuture.allOf(parts.toArray(CompletableFuture[]::new))
        .thenApply(
            done ->
                parts.stream()
                    .flatMap(part -> part.join().stream())
                    .sorted(Comparator.comparing(LockInfo::name, BY_BYTES))
                    .limit(listing.limit())
                    .toList());
  }
}
