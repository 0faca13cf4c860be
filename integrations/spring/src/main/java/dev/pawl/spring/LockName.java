package dev.pawl.spring;

import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.Arrays;
import java.util.HashSet;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.context.expression.BeanFactoryResolver;
import org.springframework.context.expression.MethodBasedEvaluationContext;
import org.springframework.core.DefaultParameterNameDiscoverer;
import org.springframework.core.ParameterNameDiscoverer;
import org.springframework.expression.EvaluationException;
import org.springframework.expression.ParseException;
import org.springframework.expression.spel.SpelNode;
import org.springframework.expression.spel.ast.VariableReference;
import org.springframework.expression.spel.standard.SpelExpression;
import org.springframework.expression.spel.standard.SpelExpressionParser;

/** The name of a lock, for a method: a text, an expression over the arguments, or the method. */
final class LockName {

  private static final SpelExpressionParser PARSER = new SpelExpressionParser();
  private static final ParameterNameDiscoverer PARAMETERS = new DefaultParameterNameDiscoverer();

  private final String text;
  private final @Nullable SpelExpression expression;
  private final Method method;
  private final BeanFactory beans;

  private LockName(
      String text, @Nullable SpelExpression expression, Method method, BeanFactory beans) {
    this.text = text;
    this.expression = expression;
    this.method = method;
    this.beans = beans;
  }

  /** Returns the name that the text of an annotation means on that method. */
  static LockName of(String text, Method method, Class<?> type, BeanFactory beans) {
    if (text.isEmpty()) {
      return new LockName(Texts.fit(byMethod(method, type), 0), null, method, beans);
    }
    if (text.chars().noneMatch(c -> "#'\"@".indexOf(c) >= 0)) {
      return new LockName(text, null, method, beans);
    }
    try {
      SpelExpression expression = PARSER.parseRaw(text);
      checkVariables(expression, text, method);
      return new LockName(text, expression, method, beans);
    } catch (ParseException e) {
      throw new IllegalArgumentException(
          "the name "
              + text
              + " is not an expression ("
              + e.getMessage()
              + "); a name with #, @ or a quote in it is one: write texts in it in single quotes",
          e);
    }
  }

  /** Tells whether a class has another name in each process, as those of clients by interface. */
  static boolean isMadeAtRunTime(Class<?> type) {
    return Proxy.isProxyClass(type) || type.isHidden();
  }

  private static String byMethod(Method method, Class<?> type) {
    Class<?> named = isMadeAtRunTime(type) ? method.getDeclaringClass() : type;
    return named.getName()
        + "."
        + method.getName()
        + Arrays.stream(method.getParameterTypes())
            .map(Class::getTypeName)
            .collect(Collectors.joining(",", "(", ")"));
  }

  /** An unknown variable is null to Spring: a typo would lock one name for all. */
  private static void checkVariables(SpelExpression expression, String text, Method method) {
    Set<String> known = new HashSet<>(Set.of("#root", "#this"));
    String[] names = PARAMETERS.getParameterNames(method);
    for (int i = 0; i < method.getParameterCount(); i++) {
      known.add("#p" + i);
      known.add("#a" + i);
      if (names != null) {
        known.add("#" + names[i]);
      }
    }
    check(expression.getAST(), text, known, names == null);
  }

  private static void check(SpelNode node, String text, Set<String> known, boolean nameless) {
    if (node instanceof VariableReference && !known.contains(node.toStringAST())) {
      throw new IllegalArgumentException(
          "the name "
              + text
              + " has "
              + node.toStringAST()
              + ", which is no parameter of the method"
              + (nameless
                  ? "; its names are not in the class file: compile with -parameters"
                  : ""));
    }
    for (int i = 0; i < node.getChildCount(); i++) {
      check(node.getChild(i), text, known, nameless);
    }
  }

  /** Returns the name for one call. */
  String of(@Nullable Object target, @Nullable Object[] arguments) {
    if (expression == null) {
      return text;
    }
    MethodBasedEvaluationContext context =
        new MethodBasedEvaluationContext(
            target == null ? method : target, method, arguments, PARAMETERS);
    context.setBeanResolver(new BeanFactoryResolver(beans));
    Object value;
    try {
      value = expression.getValue(context);
    } catch (EvaluationException e) {
      throw new IllegalArgumentException(
          "the name " + text + " of " + method + " cannot be evaluated: " + e.getMessage(), e);
    }
    if (value == null || value.toString().isEmpty()) {
      throw new IllegalArgumentException(
          "the name " + text + " of " + method + " is " + (value == null ? "null" : "empty"));
    }
    return value.toString();
  }

  @Override
  public String toString() {
    return text;
  }
}
