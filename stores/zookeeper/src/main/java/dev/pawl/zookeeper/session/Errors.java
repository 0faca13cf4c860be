package dev.pawl.zookeeper.session;

import dev.pawl.OutcomeUnknownException;
import dev.pawl.PawlException;
import dev.pawl.StoreUnavailableException;
import java.nio.BufferUnderflowException;
import java.util.concurrent.CompletionException;
import org.apache.zookeeper.KeeperException;

/** What a failure means: nothing happened, nobody knows, or there is something to mend (I11). */
public final class Errors {

  private Errors() {}

  /** Returns the failure as a caller of the store sees it. */
  public static Throwable of(String where, Throwable error) {
    Throwable cause = unwrap(error);
    return cause instanceof KeeperException failed
        ? answered(where, failed)
        : cause instanceof IllegalArgumentException || cause instanceof BufferUnderflowException
            ? new PawlException(
                where
                    + " has a node that this version of Pawl cannot read: another version, or"
                    + " somebody else's; use one version, or choose another root",
                cause)
            : cause;
  }

  private static PawlException answered(String where, KeeperException error) {
    return switch (error.code()) {
      case CONNECTIONLOSS, OPERATIONTIMEOUT, REQUESTTIMEOUT ->
          new OutcomeUnknownException("the connection to " + where + " was lost", error);
      case SESSIONEXPIRED, SESSIONMOVED ->
          new StoreUnavailableException("the session at " + where + " has ended", error);
      case THROTTLEDOP, NOTREADONLY ->
          new StoreUnavailableException(
              where + " refuses requests at the moment: " + error.code(), error);
      case NOAUTH ->
          new PawlException(
              where
                  + " does not allow it at "
                  + error.getPath()
                  + ": the user needs all rights (cdrwa) there; check user and password in the URL,"
                  + " and the node's ACL",
              error);
      case NONODE ->
          new PawlException(
              where
                  + " has nothing above "
                  + error.getPath()
                  + "; if the client's connect string ends with a path, create that first",
              error);
      case AUTHFAILED, SESSIONCLOSEDREQUIRESASLAUTH ->
          new PawlException(where + " refuses the user: check user and password in the URL", error);
      case INVALIDACL ->
          new PawlException(
              where
                  + " refuses the ACL: acl=creator needs a user and a password in the URL, and"
                  + " creatorOnly a client that is logged in",
              error);
      case QUOTAEXCEEDED ->
          new PawlException(where + ": the quota of " + error.getPath() + " is used up", error);
      default -> new PawlException(where + " answered " + error.getMessage(), error);
    };
  }

  /** Returns the failure itself. */
  public static Throwable unwrap(Throwable error) {
    Throwable cause = error.getCause();
    return error instanceof CompletionException && cause != null ? unwrap(cause) : error;
  }

  /** Tells whether an answer failed with that code. */
  public static boolean is(Throwable error, KeeperException.Code code) {
    return unwrap(error) instanceof KeeperException failed && failed.code() == code;
  }

  /**
   * Tells whether a failure is an answer, so that what was asked for certainly has not happened.
   */
  public static boolean isAnswered(Throwable error) {
    return unwrap(error) instanceof KeeperException failed
        && failed.code() != KeeperException.Code.CONNECTIONLOSS
        && failed.code() != KeeperException.Code.OPERATIONTIMEOUT
        && failed.code() != KeeperException.Code.REQUESTTIMEOUT;
  }

  /** The store was closed by this process. */
  public static StoreUnavailableException closed(String where) {
    return new StoreUnavailableException("the store at " + where + " is closed", null);
  }

  /** The client that the application handed in was closed by it. */
  public static StoreUnavailableException clientClosed(String where) {
    return new StoreUnavailableException(
        "the CuratorFramework for " + where + " was closed; close it after Pawl", null);
  }

  /** There is no connection at the moment. */
  public static StoreUnavailableException notConnected(String where) {
    return new StoreUnavailableException("no connection to " + where, null);
  }
}
