package dev.pawl.redis.lettuce;

import static org.assertj.core.api.Assertions.assertThat;

import io.lettuce.core.ConnectionEvents;
import io.lettuce.core.resource.NettyCustomizer;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.embedded.EmbeddedChannel;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * What a channel's handlers are told at its end. Lettuce 6, which Spring Boot 3.5 brings, sends
 * what was not answered again when it has connected anew, unless it is reset before.
 */
class SilenceWatchTest {

  private final List<String> told = new ArrayList<>();

  private EmbeddedChannel watched() {
    EmbeddedChannel channel =
        new EmbeddedChannel(
            new ChannelInboundHandlerAdapter() {
              @Override
              public void userEventTriggered(ChannelHandlerContext context, Object event) {
                if (event instanceof ConnectionEvents.Reset) {
                  told.add("reset");
                }
              }

              @Override
              public void channelInactive(ChannelHandlerContext context) {
                told.add("inactive");
              }
            });
    SilenceWatch.beside(new NettyCustomizer() {}, Duration.ofSeconds(2))
        .afterChannelInitialized(channel);
    return channel;
  }

  @Test
  void whatWasNotAnsweredFailsBeforeItCouldBeSentAgain() {
    EmbeddedChannel channel = watched();
    channel.pipeline().fireChannelActive();
    var unused = channel.close();
    assertThat(told).containsExactly("reset", "inactive");
  }

  @Test
  void aHandshakeIsLettucesOwn() {
    var unused = watched().close();
    assertThat(told).containsExactly("inactive");
  }
}
