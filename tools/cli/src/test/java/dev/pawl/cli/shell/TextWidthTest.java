package dev.pawl.cli.shell;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class TextWidthTest {

  @ParameterizedTest
  @CsvSource({"abc,3", "名前,4", "😀,2", "e\u0301,1", "é,1", "…,1", "█,1"})
  void wideCharactersTakeTwoColumns(String text, int columns) {
    assertThat(TextWidth.of(text)).isEqualTo(columns);
  }

  @ParameterizedTest
  @CsvSource({"abcdef,6,abcdef", "abcdef,5,abcd…", "名前は,5,名前…", "名前は,4,名…", "abc,1,…"})
  void whatDoesNotFitIsCut(String text, int width, String cut) {
    assertThat(TextWidth.cut(text, width)).isEqualTo(cut);
    assertThat(TextWidth.of(cut)).isLessThanOrEqualTo(width);
  }

  @Test
  void columnsLineUpAndNothingMovesTheCursor() {
    Table table = new Table("NAME", "X").row("名前", "1").row("a\u001b[2J\u202eb", "2");
    assertThat(table.plainLines()).containsExactly("NAME     X", "名前     1", "a?[2J?b  2");
  }
}
