package dev.pawl.architecture;

import java.io.IOException;
import java.lang.module.ModuleDescriptor;
import java.lang.reflect.AnnotatedArrayType;
import java.lang.reflect.AnnotatedParameterizedType;
import java.lang.reflect.AnnotatedType;
import java.lang.reflect.AnnotatedWildcardType;
import java.lang.reflect.Constructor;
import java.lang.reflect.Executable;
import java.lang.reflect.Field;
import java.lang.reflect.Member;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.RecordComponent;
import java.lang.reflect.Type;
import java.lang.reflect.TypeVariable;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** What a module shows its users: one line for each type, and one for each member below it. */
final class ApiListing {

  private ApiListing() {}

  static List<String> of(Module module) throws IOException, ClassNotFoundException {
    Optional<ModuleDescriptor> descriptor = module.descriptor();
    String top = topPackage(module);
    List<String> lines = new ArrayList<>();
    for (String name : module.classNames()) {
      Class<?> type = Class.forName(name, false, ApiListing.class.getClassLoader());
      boolean exported =
          descriptor
              .map(each -> exports(each, type))
              // One whose libraries cannot be modules has none, and shows its top package.
              .orElseGet(() -> type.getPackageName().equals(top));
      if (isApi(type) && exported) {
        lines.addAll(of(type));
      }
    }
    return lines;
  }

  private static String topPackage(Module module) throws IOException {
    return module.classNames().stream()
        .map(name -> name.substring(0, Math.max(0, name.lastIndexOf('.'))))
        .min(Comparator.comparingInt(String::length))
        .orElse("");
  }

  static List<String> of(Class<?> type) {
    Stream<String> members =
        Stream.of(
                Arrays.stream(type.getDeclaredFields())
                    .filter(ApiListing::isShown)
                    .map(ApiListing::field),
                Arrays.stream(type.getDeclaredConstructors())
                    .filter(ApiListing::isShown)
                    .map(ApiListing::constructor),
                Arrays.stream(type.getDeclaredMethods())
                    .filter(ApiListing::isShown)
                    .map(ApiListing::method))
            .flatMap(each -> each)
            .sorted()
            .map(line -> "  " + line);
    return Stream.concat(Stream.of(header(type)), members).toList();
  }

  private static boolean exports(ModuleDescriptor descriptor, Class<?> type) {
    return descriptor.exports().stream()
        .anyMatch(each -> !each.isQualified() && each.source().equals(type.getPackageName()));
  }

  private static boolean isApi(Class<?> type) {
    return !type.isSynthetic()
        && !type.isAnonymousClass()
        && !type.isLocalClass()
        && isVisible(type);
  }

  private static boolean isVisible(Class<?> type) {
    Class<?> outer = type.getDeclaringClass();
    return isVisible(type.getModifiers()) && (outer == null || isVisible(outer));
  }

  private static boolean isVisible(int modifiers) {
    return Modifier.isPublic(modifiers) || Modifier.isProtected(modifiers);
  }

  private static boolean isShown(Member member) {
    return isVisible(member.getModifiers()) && !member.isSynthetic();
  }

  private static String header(Class<?> type) {
    boolean implied = type.isInterface() || type.isEnum() || type.isRecord();
    int hidden = implied ? Modifier.ABSTRACT | Modifier.FINAL | Modifier.INTERFACE : 0;
    StringBuilder line = new StringBuilder(Modifier.toString(type.getModifiers() & ~hidden));
    line.append(type.isSealed() ? " sealed " : " ").append(kind(type)).append(' ');
    line.append(type.getTypeName()).append(typeParameters(type.getTypeParameters()));
    if (type.isRecord()) {
      line.append(
          Arrays.stream(type.getRecordComponents())
              .map(ApiListing::component)
              .collect(Collectors.joining(", ", "(", ")")));
    }
    AnnotatedType parent = type.getAnnotatedSuperclass();
    if (parent != null && !implied && parent.getType() != Object.class) {
      line.append(" extends ").append(name(parent));
    }
    line.append(
        list(type.isInterface() ? " extends " : " implements ", type.getAnnotatedInterfaces()));
    if (type.isSealed()) {
      line.append(" permits ");
      line.append(
          Arrays.stream(type.getPermittedSubclasses())
              .map(Class::getTypeName)
              .sorted()
              .collect(Collectors.joining(", ")));
    }
    return line.toString();
  }

  private static String kind(Class<?> type) {
    if (type.isAnnotation()) {
      return "@interface";
    }
    return type.isInterface()
        ? "interface"
        : type.isEnum() ? "enum" : type.isRecord() ? "record" : "class";
  }

  private static String component(RecordComponent component) {
    return name(component.getAnnotatedType()) + " " + component.getName();
  }

  private static String field(Field field) {
    return "%s %s %s"
        .formatted(
            Modifier.toString(field.getModifiers()),
            name(field.getAnnotatedType()),
            field.getName());
  }

  private static String constructor(Constructor<?> constructor) {
    return "%s new%s"
        .formatted(Modifier.toString(constructor.getModifiers()), parameters(constructor));
  }

  private static String method(Method method) {
    int modifiers = method.getModifiers() & Modifier.methodModifiers() & ~Modifier.STRICT;
    return "%s%s %s%s %s%s"
        .formatted(
            Modifier.toString(modifiers),
            method.isDefault() ? " default" : "",
            typeParameters(method.getTypeParameters()),
            name(method.getAnnotatedReturnType()),
            method.getName(),
            parameters(method))
        .replace("  ", " ");
  }

  private static String parameters(Executable executable) {
    String parameters =
        Arrays.stream(executable.getAnnotatedParameterTypes())
            .map(ApiListing::name)
            .collect(Collectors.joining(", ", "(", ")"));
    return parameters + list(" throws ", executable.getAnnotatedExceptionTypes());
  }

  private static String list(String before, AnnotatedType[] types) {
    return types.length == 0
        ? ""
        : before + Arrays.stream(types).map(ApiListing::name).collect(Collectors.joining(", "));
  }

  private static String typeParameters(TypeVariable<?>[] variables) {
    return variables.length == 0
        ? ""
        : Arrays.stream(variables)
            .map(each -> each.getName() + bounds(each.getAnnotatedBounds()))
            .collect(Collectors.joining(", ", "<", "> "));
  }

  private static String bounds(AnnotatedType[] bounds) {
    String all = Arrays.stream(bounds).map(ApiListing::name).collect(Collectors.joining(" & "));
    return all.equals("Object") ? "" : " extends " + all;
  }

  private static String name(AnnotatedType type) {
    String nullable = type.isAnnotationPresent(Nullable.class) ? "@Nullable " : "";
    if (type instanceof AnnotatedArrayType array) {
      return name(array.getAnnotatedGenericComponentType()) + " " + nullable + "[]";
    }
    if (type instanceof AnnotatedParameterizedType parameterized) {
      return nullable
          + name(((ParameterizedType) type.getType()).getRawType())
          + Arrays.stream(parameterized.getAnnotatedActualTypeArguments())
              .map(ApiListing::name)
              .collect(Collectors.joining(", ", "<", ">"));
    }
    if (type instanceof AnnotatedWildcardType wildcard) {
      AnnotatedType[] lower = wildcard.getAnnotatedLowerBounds();
      return lower.length == 0
          ? "?" + bounds(wildcard.getAnnotatedUpperBounds())
          : "? super " + name(lower[0]);
    }
    return nullable + name(type.getType());
  }

  private static String name(Type type) {
    String name = type.getTypeName();
    return name.startsWith("java.lang.") && name.lastIndexOf('.') == "java.lang".length()
        ? name.substring("java.lang.".length())
        : name;
  }
}
