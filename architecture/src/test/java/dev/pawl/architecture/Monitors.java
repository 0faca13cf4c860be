package dev.pawl.architecture;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.objectweb.asm.ClassReader;
import org.objectweb.asm.ClassVisitor;
import org.objectweb.asm.MethodVisitor;
import org.objectweb.asm.Opcodes;

/** Finds synchronized methods and blocks in bytecode; ArchUnit does not see the blocks. */
final class Monitors {

  private Monitors() {}

  static List<String> in(Path classes) throws IOException {
    List<String> found = new ArrayList<>();
    try (var files = Files.walk(classes)) {
      for (Path file : files.filter(each -> each.toString().endsWith(".class")).toList()) {
        new ClassReader(Files.readAllBytes(file)).accept(new Finder(found), 0);
      }
    }
    return found;
  }

  private static final class Finder extends ClassVisitor {

    private final List<String> found;
    private String type = "";

    Finder(List<String> found) {
      super(Opcodes.ASM9);
      this.found = found;
    }

    @Override
    public void visit(
        int version,
        int access,
        String name,
        String signature,
        String parent,
        String[] interfaces) {
      type = name.replace('/', '.');
    }

    @Override
    public MethodVisitor visitMethod(
        int access, String name, String descriptor, String signature, String[] exceptions) {
      if ((access & Opcodes.ACC_SYNCHRONIZED) != 0) {
        found.add("synchronized method " + type + "." + name);
      }
      return new MethodVisitor(Opcodes.ASM9) {
        @Override
        public void visitInsn(int opcode) {
          if (opcode == Opcodes.MONITORENTER) {
            found.add("synchronized block in " + type + "." + name);
          }
        }
      };
    }
  }
}
