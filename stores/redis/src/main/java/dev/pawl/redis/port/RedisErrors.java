package dev.pawl.redis.port;

import dev.pawl.OutcomeUnknownException;
import dev.pawl.PawlException;
import dev.pawl.StoreUnavailableException;
import java.util.Set;
import java.util.concurrent.CompletionException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * What a failure means: nothing happened, nobody knows, or there is something to mend (I11).
 *
 * <p>A script writes last, so an error answer means that nothing was written. The codes are looked
 * for anywhere in the answer: servers before 7 wrap the error of a command in that of the script.
 */
public final class RedisErrors {

  /** The server cannot now, and may later. */
  private static final Set<String> PASSING =
      Set.of(
          "READONLY",
          "LOADING",
          "OOM",
          "MASTERDOWN",
          "CLUSTERDOWN",
          "TRYAGAIN",
          "BUSY",
          "MISCONF",
          "NOREPLICAS",
          "MOVED",
          "ASK",
          "UNKILLABLE",
          "FAILOVER",
          "NOSCRIPT");

  /** Somebody has to mend it. */
  private static final Set<String> FOR_PEOPLE =
      Set.of("NOAUTH", "WRONGPASS", "NOPERM", "WRONGTYPE", "PAWLDATA");

  /** What a server that has no place for another connection says, without a code. */
  private static final String FULL = "max number of clients";

  private static final Pattern CODE = Pattern.compile("\\b[A-Z]{3,}\\b");

  private RedisErrors() {}

  /** The server answered with an error. */
  public static PawlException answered(String where, @Nullable String answer, Throwable cause) {
    String text = answer == null ? "" : answer;
    if (text.contains(FULL)) {
      return new StoreUnavailableException(where + " has reached its " + FULL, cause);
    }
    if (text.contains("cluster support disabled")) {
      return new PawlException(where + " is not a cluster; use redis:// for one server", cause);
    }
    if (text.contains("unknown command") && text.contains("SENTINEL")) {
      return new PawlException(
          where + ": that is no Sentinel; check the ports, usually 26379, or use redis://", cause);
    }
    // What a script is refused is told without a code before Redis 7.2.
    if (text.contains("can't run this command")) {
      return new PawlException(where + ": " + advice("NOPERM"), cause);
    }
    Matcher codes = CODE.matcher(text);
    while (codes.find()) {
      if (codes.group().equals("MOVED") && where.matches("rediss?://.*")) {
        return new PawlException(where + " is part of a cluster; use redis-cluster://", cause);
      }
      if (PASSING.contains(codes.group())) {
        return new StoreUnavailableException(
            where + " refuses commands at the moment: " + meaning(codes.group()), cause);
      }
      if (FOR_PEOPLE.contains(codes.group())) {
        return new PawlException(where + ": " + advice(codes.group()), cause);
      }
    }
    return new PawlException(where + " answered with an error: " + text, cause);
  }

  private static String meaning(String code) {
    return switch (code) {
      case "READONLY" -> "READONLY (it is a replica)";
      case "LOADING" -> "LOADING (it reads its data from disk)";
      case "OOM" -> "OOM (its memory is full)";
      case "BUSY" -> "BUSY (a script has been running for long)";
      case "MISCONF" -> "MISCONF (it cannot write to its disk)";
      case "NOREPLICAS" -> "NOREPLICAS (too few replicas are connected)";
      default -> code;
    };
  }

  private static String advice(String code) {
    return switch (code) {
      case "NOAUTH" -> "NOAUTH: the server wants a password, and none was given";
      case "WRONGPASS" -> "WRONGPASS: the user or the password is wrong";
      case "NOPERM" ->
          "NOPERM: the user may not run all commands that are needed, or not use our keys; the"
              + " guide (redis.md) has the ACL of one who may";
      case "WRONGTYPE" -> "WRONGTYPE: somebody else uses a key of ours; choose another keyPrefix";
      default -> "a key of ours has a value that is not ours; choose another keyPrefix";
    };
  }

  /** Tells whether the keys of a command were on two servers, which ends when a slot has moved. */
  public static boolean isOfTwoServers(Throwable error) {
    for (Throwable each = error; each != null; each = each.getCause()) {
      if (String.valueOf(each.getMessage()).startsWith("TRYAGAIN")) {
        return true;
      }
    }
    return false;
  }

  /** Tells whether a server refused to write because it is a replica. */
  public static boolean isReadOnly(Throwable error) {
    return String.valueOf(unwrap(error).getMessage()).contains("READONLY");
  }

  /** There is no first connection. What is wrong with TLS is for people to mend. */
  public static PawlException notConnected(String where, Throwable cause) {
    return Unreachable.of(where, cause, true);
  }

  /** The command never left, for want of a connection such as there was before. */
  public static PawlException notSent(String where, Throwable cause) {
    return Unreachable.of(where, cause, false);
  }

  /** The command may have arrived, and there is no answer. */
  public static OutcomeUnknownException noAnswer(String where, Throwable cause) {
    return new OutcomeUnknownException(where + " did not answer", cause);
  }

  /** What a stage that was derived from another failed with. */
  public static Throwable unwrap(Throwable error) {
    Throwable cause = error.getCause();
    return error instanceof CompletionException && cause != null ? unwrap(cause) : error;
  }

  /** The store was closed by this process. */
  public static StoreUnavailableException closed(String where) {
    return new StoreUnavailableException("the store at " + where + " is closed", null);
  }
}
