package dev.pawl.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pawl.LockInfo;
import dev.pawl.spi.AcquireReply;
import dev.pawl.spi.Capability;
import dev.pawl.spi.Listing;
import dev.pawl.spi.ReleaseReply;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Names are bytes: nothing is folded, trimmed, escaped or cut. */
abstract class NameCases extends SpiCases {

  /** Each differs from another one only by what some backend takes for the same. */
  static final List<String> TWINS =
      List.of(
          "a", "A", "á", "a\u0301", "à", "\u00c5", "\u212b", "ß", "ss", "SS", "ı", "i", "İ", "æ",
          "ae", "a ", " a", "a  ", "a\u00a0", "a\u200b", "a.", "a/", "ﬁ", "fi", "①", "1", "01",
          "1.0", "１");

  /** Each means something to a backend, a driver, a shell or a log. */
  static final List<String> HOSTILE =
      List.of(
          "'",
          "''",
          "\"",
          "`",
          "'; DROP TABLE pawl; --",
          "\\",
          "\\'",
          "\\n",
          "\\0",
          "%",
          "_",
          "%%",
          "?",
          ":name",
          "$1",
          "${x}",
          "#{x}",
          "{tag}",
          "}{",
          "{}",
          "*",
          "[a-z]",
          "a*",
          ".",
          "..",
          "/",
          "//",
          "a/../b",
          "/zookeeper",
          "~",
          "null",
          "NULL",
          "0",
          "-1",
          "true",
          "<b>",
          "&amp;",
          "%00",
          "%s",
          "%n",
          ",",
          ";",
          "|",
          "&&",
          "😀",
          "👩‍👩‍👧",
          "漢字",
          "\u202eabc",
          "\ufeffa",
          "\uffff");

  NameCases(StoreConformance suite) {
    super(suite);
  }

  @Test
  void namesThatLookAlikeAreDifferentNames() {
    areDifferentNames(TWINS);
  }

  @Test
  void namesThatMeanSomethingElsewhereAreJustNames() {
    areDifferentNames(HOSTILE);
  }

  @Test
  void namesOf255BytesAreToldApartByTheLast() {
    List<String> suffixes = new ArrayList<>();
    suffixes.add(padded("x", 0, "1"));
    suffixes.add(padded("x", 0, "2"));
    suffixes.add(padded("x", 1, ""));
    suffixes.add(padded("😀", 0, "1"));
    suffixes.add(padded("😀", 0, "2"));
    suffixes.add(padded("é", 0, "1"));
    assertThat(suffixes.stream().filter(each -> bytes(name(each)) == 255)).hasSizeGreaterThan(4);

    areDifferentNames(suffixes);
  }

  @Test
  @Needs(Capability.INSPECT)
  void aNameIsShownAsItWasGiven() {
    ScriptedNode a = node("a");
    List<String> names = Stream.concat(TWINS.stream(), HOSTILE.stream()).map(this::name).toList();
    names.forEach(name -> a.claim(name).take());

    for (String name : names) {
      assertThat(Replies.of(store(1).find(name)).map(LockInfo::name)).contains(name);
    }
    assertThat(Replies.of(store(1).list(Listing.all(prefix(), 1_000))))
        .extracting(LockInfo::name)
        .containsExactlyInAnyOrderElementsOf(names);
  }

  /** All are held together, each by its own claim, and none is free; one release frees one. */
  private void areDifferentNames(List<String> suffixes) {
    ScriptedNode a = node("a");
    ScriptedNode b = node("b");
    Map<String, ScriptedClaim> claims = new LinkedHashMap<>();
    for (String suffix : suffixes) {
      ScriptedClaim claim = a.claim(name(suffix));
      assertThat(claim.askOnce())
          .as("the first claim of \"%s\"", suffix)
          .isInstanceOf(AcquireReply.Granted.class);
      claims.put(suffix, claim);
    }
    assertThat(claims).hasSameSizeAs(suffixes);
    for (String suffix : suffixes) {
      b.claim(name(suffix)).beRefused();
    }
    claims.forEach(
        (suffix, claim) ->
            assertThat(claim.release())
                .as("the release of \"%s\"", suffix)
                .isEqualTo(ReleaseReply.RELEASED));
  }

  /** A suffix that makes the name as long as allowed, less {@code shorter} bytes. */
  private String padded(String with, int shorter, String last) {
    StringBuilder suffix = new StringBuilder();
    while (bytes(name(suffix + with + last)) <= 255 - shorter) {
      suffix.append(with);
    }
    suffix.append(last);
    while (bytes(name(suffix.toString())) < 255 - shorter) {
      suffix.insert(0, "-");
    }
    return suffix.toString();
  }

  private static int bytes(String name) {
    return name.getBytes(StandardCharsets.UTF_8).length;
  }
}
