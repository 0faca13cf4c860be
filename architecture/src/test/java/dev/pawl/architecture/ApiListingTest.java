package dev.pawl.architecture;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Nobody changes what users see without a diff that says so. */
class ApiListingTest {

  private static final boolean ACCEPT = Boolean.getBoolean("pawl.acceptApi");

  @ParameterizedTest
  @MethodSource("libraries")
  void theApiIsTheOneThatWasAccepted(Module module) throws Exception {
    Path file = Module.root().resolve("architecture/api/" + module.artifact() + ".txt");
    List<String> actual = ApiListing.of(module);
    if (ACCEPT) {
      Files.createDirectories(file.getParent());
      Files.write(file, actual);
    }
    List<String> accepted = Files.exists(file) ? Files.readAllLines(file) : List.of();
    assertThat(actual)
        .withFailMessage(
            () ->
                "The public API of %s changed:%n%s%nIf that is meant, accept it: ./verify --accept-api"
                    .formatted(module.artifact(), diff(accepted, actual)))
        .isEqualTo(accepted);
  }

  @Test
  void aListingShowsWhatAUserCanSee() {
    assertThat(ApiListing.of(Sample.class))
        .containsExactly(
            "protected abstract static sealed class "
                + Sample.class.getTypeName()
                + "<T extends Comparable<T>>  permits "
                + SampleChild.class.getTypeName(),
            "  protected new(@Nullable String)",
            "  public <R> java.util.Optional<R> map(java.util.function.Function<? super T, ? extends R>, int []) throws Exception",
            "  public static final int LIMIT");
  }

  @Test
  void aDiffNamesTheTypeOfAMember() {
    assertThat(
            diff(
                List.of("class A", "  void kept()", "  void gone()"),
                List.of("class A", "  void kept()", "class B", "  void come()")))
        .isEqualTo("- class A: void gone()\n+ class B\n+ class B: void come()");
  }

  static Stream<Module> libraries() {
    return Module.published().stream().filter(module -> !module.isTool());
  }

  private static String diff(List<String> before, List<String> after) {
    List<String> old = entries(before);
    List<String> now = entries(after);
    Stream<String> gone = old.stream().filter(each -> !now.contains(each)).map(each -> "- " + each);
    Stream<String> come = now.stream().filter(each -> !old.contains(each)).map(each -> "+ " + each);
    return String.join("\n", Stream.concat(gone, come).toList());
  }

  private static List<String> entries(List<String> lines) {
    List<String> entries = new ArrayList<>();
    String type = "";
    for (String line : lines) {
      if (line.startsWith("  ")) {
        entries.add(type + ": " + line.strip());
      } else {
        type = line;
        entries.add(line);
      }
    }
    return entries;
  }

  protected abstract static sealed class Sample<T extends Comparable<T>> permits SampleChild {
    public static final int LIMIT = 3;
    int hidden;

    protected Sample(@Nullable String name) {}

    public <R> Optional<R> map(Function<? super T, ? extends R> function, int[] numbers)
        throws Exception {
      return Optional.empty();
    }
  }

  static final class SampleChild extends Sample<String> {
    SampleChild() {
      super(null);
    }
  }
}
