package dev.pawl.engine.jobs;

import dev.pawl.Election;
import dev.pawl.LockOptions;
import dev.pawl.engine.claims.Request;
import dev.pawl.engine.link.Names;
import dev.pawl.engine.locks.Engine;
import java.util.Objects;

/** An election of a node: the exclusive lock of its name, kept for as long as it can be. */
public final class NodeElection implements Election {

  private final Engine engine;
  private final String name;
  private final LockOptions options;

  public NodeElection(Engine engine, String name, LockOptions options) {
    this.engine = engine;
    this.name = name;
    this.options = options;
  }

  @Override
  public String name() {
    return name;
  }

  @Override
  public Campaign lead(Leader leader) {
    Objects.requireNonNull(leader, "leader");
    if (engine.isClosed()) {
      throw engine.closedException();
    }
    // A term is not passed on within the node: it is either this campaign's or another's.
    Request request = Request.exclusive(PREFIX + name, options.withLocalPasses(0));
    NodeCampaign campaign = new NodeCampaign(engine, request, leader);
    campaign.stand();
    return campaign;
  }

  @Override
  public String toString() {
    return "election " + Names.quote(name);
  }
}
