package dev.pawl.redis.lettuce;

import io.lettuce.core.ConnectionEvents;
import io.lettuce.core.resource.NettyCustomizer;
import io.netty.bootstrap.Bootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelDuplexHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelPromise;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Closes a connection on which something was sent and nothing has come for a while: Lettuce then
 * opens another. A firewall that forgets a connection, or a host that loses its power, tells
 * nobody, and the operating system goes on sending for a quarter of an hour.
 *
 * <p>It begins when the handshake is over, which has a timeout of its own. All of it runs on the
 * channel's event loop.
 */
final class SilenceWatch extends ChannelDuplexHandler {

  private static final Logger LOG = LoggerFactory.getLogger(SilenceWatch.class);

  private static final Duration LEAST = Duration.ofSeconds(4);

  private final long mostNanos;
  private boolean active;

  /** Whether something was sent since something came, and when the first of it was. */
  private boolean waits;

  private long sentNanos;
  private boolean scheduled;

  private SilenceWatch(long mostNanos) {
    this.mostNanos = mostNanos;
  }

  /** Watches each channel, for two answers' time, beside what is customized otherwise. */
  static NettyCustomizer beside(NettyCustomizer other, Duration commandTimeout) {
    Duration twice = commandTimeout.multipliedBy(2);
    long mostNanos = (twice.compareTo(LEAST) < 0 ? LEAST : twice).toNanos();
    return new NettyCustomizer() {
      @Override
      public void afterBootstrapInitialized(Bootstrap bootstrap) {
        other.afterBootstrapInitialized(bootstrap);
      }

      @Override
      public void afterChannelInitialized(Channel channel) {
        other.afterChannelInitialized(channel);
        SilenceWatch watch = new SilenceWatch(mostNanos);
        channel.pipeline().addFirst(watch);
        channel.pipeline().addLast(watch.atActivation());
      }
    };
  }

  private ChannelInboundHandlerAdapter atActivation() {
    return new ChannelInboundHandlerAdapter() {
      @Override
      public void channelActive(ChannelHandlerContext context) {
        active = true;
        context.fireChannelActive();
      }
    };
  }

  @Override
  public void write(ChannelHandlerContext context, Object message, ChannelPromise promise) {
    if (active && !waits) {
      waits = true;
      sentNanos = System.nanoTime();
      if (!scheduled) {
        lookAfter(context, mostNanos);
      }
    }
    var unused = context.write(message, promise);
  }

  @Override
  public void channelRead(ChannelHandlerContext context, Object message) {
    waits = false;
    context.fireChannelRead(message);
  }

  /** Has what was not answered fail: Lettuce 6 would send it again, on the next connection. */
  @Override
  public void channelInactive(ChannelHandlerContext context) {
    if (active) {
      context.fireUserEventTriggered(new ConnectionEvents.Reset());
    }
    context.fireChannelInactive();
  }

  private void lookAfter(ChannelHandlerContext context, long nanos) {
    scheduled = true;
    var unused = context.executor().schedule(() -> look(context), nanos, TimeUnit.NANOSECONDS);
  }

  private void look(ChannelHandlerContext context) {
    scheduled = false;
    if (!waits || !context.channel().isActive()) {
      return;
    }
    long left = sentNanos + mostNanos - System.nanoTime();
    if (left > 0) {
      lookAfter(context, left);
    } else {
      LOG.warn(
          "nothing has come from {} for {} ms; connecting again",
          context.channel().remoteAddress(),
          TimeUnit.NANOSECONDS.toMillis(mostNanos));
      var unused = context.close();
    }
  }
}
