package dev.pawl.architecture;

import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.lang.module.ModuleDescriptor;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.IntStream;
import javax.xml.parsers.DocumentBuilderFactory;
import org.w3c.dom.Element;
import org.w3c.dom.NodeList;

/** A module of this build, as its pom names it. */
record Module(String artifact, Path directory) {

  /** What the build needs and nobody is given. */
  private static final List<String> INTERNAL =
      List.of(
          "pawl-bom",
          "pawl-bench",
          "pawl-testservers",
          "pawl-torture",
          "pawl-spring-boot-3-tests",
          "pawl-spring-boot-4-tests",
          "pawl-architecture",
          "pawl-examples",
          "pawl-recipes");

  static Path root() {
    Path directory = Path.of("").toAbsolutePath();
    while (!Files.exists(directory.resolve("bom/pom.xml"))) {
      directory = directory.getParent();
      if (directory == null) {
        throw new IllegalStateException("not inside a checkout: no bom/pom.xml in any parent");
      }
    }
    return directory;
  }

  static List<Module> all() {
    Path root = root();
    return texts(root.resolve("pom.xml"), "modules", "module").stream()
        .map(root::resolve)
        .map(directory -> new Module(artifactOf(directory.resolve("pom.xml")), directory))
        .toList();
  }

  /** The modules that the BOM lists. */
  static List<Module> published() {
    List<String> listed = inBom();
    return all().stream().filter(module -> listed.contains(module.artifact)).toList();
  }

  static Module named(String artifact) {
    return all().stream()
        .filter(module -> module.artifact.equals(artifact))
        .findFirst()
        .orElseThrow(() -> new IllegalArgumentException("no module " + artifact));
  }

  static List<String> inBom() {
    return texts(root().resolve("bom/pom.xml"), "dependency", "artifactId");
  }

  boolean isInternal() {
    return INTERNAL.contains(artifact);
  }

  /** Tells whether people run it, rather than compile against it. */
  boolean isTool() {
    return directory.startsWith(root().resolve("tools"));
  }

  /**
   * Returns what the module's {@code module-info} says, as it was compiled; empty if it has none.
   */
  Optional<ModuleDescriptor> descriptor() {
    if (!Files.exists(directory.resolve("src/main/java/module-info.java"))) {
      return Optional.empty();
    }
    Path compiled = classes().resolve("module-info.class");
    if (!Files.exists(compiled)) {
      throw new IllegalStateException(compiled + " is missing: compile " + artifact + " by Maven");
    }
    try (InputStream in = Files.newInputStream(compiled)) {
      return Optional.of(ModuleDescriptor.read(in));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Returns the {@code Automatic-Module-Name} that the pom puts into the jar's manifest. */
  Optional<String> automaticName() {
    return texts(directory.resolve("pom.xml"), "manifestEntries", "Automatic-Module-Name").stream()
        .findFirst();
  }

  /** Returns the services in {@code META-INF}, each with the names of what provides it. */
  Map<String, Set<String>> services() throws IOException {
    Path services = classes().resolve("META-INF/services");
    Map<String, Set<String>> found = new TreeMap<>();
    if (Files.isDirectory(services)) {
      try (var files = Files.list(services)) {
        for (Path file : files.toList()) {
          found.put(file.getFileName().toString(), Set.copyOf(Files.readAllLines(file)));
        }
      }
    }
    return found;
  }

  Path classes() {
    Path classes = directory.resolve("target/classes");
    if (!Files.isDirectory(classes)) {
      throw new IllegalStateException(
          classes + " is missing: " + artifact + " must be a dependency of architecture/pom.xml");
    }
    return classes;
  }

  /** The names of the module's classes, nested ones too. */
  List<String> classNames() throws IOException {
    Path classes = classes();
    try (var files = Files.walk(classes)) {
      return files
          .map(file -> classes.relativize(file).toString())
          .filter(file -> file.endsWith(".class"))
          .filter(file -> !file.equals("module-info.class"))
          .map(file -> file.substring(0, file.length() - ".class".length()))
          .map(file -> file.replace(File.separatorChar, '.'))
          .sorted()
          .toList();
    }
  }

  private static String artifactOf(Path pom) {
    return children(document(pom), "artifactId").get(0).getTextContent().strip();
  }

  private static List<String> texts(Path pom, String parent, String child) {
    NodeList parents = document(pom).getElementsByTagName(parent);
    return IntStream.range(0, parents.getLength())
        .mapToObj(i -> (Element) parents.item(i))
        .flatMap(element -> children(element, child).stream())
        .map(element -> element.getTextContent().strip())
        .toList();
  }

  private static List<Element> children(Element parent, String name) {
    List<Element> children = new ArrayList<>();
    for (var node = parent.getFirstChild(); node != null; node = node.getNextSibling()) {
      if (node instanceof Element element && element.getTagName().equals(name)) {
        children.add(element);
      }
    }
    return children;
  }

  private static Element document(Path pom) {
    try {
      return DocumentBuilderFactory.newInstance()
          .newDocumentBuilder()
          .parse(pom.toFile())
          .getDocumentElement();
    } catch (Exception e) {
      throw new IllegalStateException("cannot read " + pom, e);
    }
  }
}
