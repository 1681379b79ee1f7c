package io.ishbase.it.defects;

import java.util.Arrays;
import java.util.stream.Collectors;
import org.objectweb.asm.Label;
import org.objectweb.asm.MethodVisitor;
import org.objectweb.asm.Opcodes;
import org.objectweb.asm.Type;

/**
 * A change of what one method's code does, at places that are named by what its source says there:
 * a call, or a field that is read. No branch is added, so what the class file says of its frames
 * stays true.
 */
abstract class Edit {
  private final String method;
  private int found;

  /**
   * @param method its name; or, where there are several, with its parameters' types: {@code
   *     name(Cell,int)}
   */
  Edit(String method) {
    this.method = method;
  }

  /** Names the method. */
  static In in(String method) {
    return new In(method);
  }

  /** What may be done with a method. */
  static final class In {
    private final String method;

    private In(String method) {
      this.method = method;
    }

    /** It does nothing but to return. */
    Edit returns() {
      return new Body(method, null);
    }

    /** It does nothing but to return {@code value}. */
    Edit returns(Object value) {
      return new Body(method, value);
    }

    /**
     * The parameter is {@code value}, whatever it was.
     *
     * @param number counted from 0
     */
    Edit parameter(int number, Object value) {
      return new Parameter(method, number, value);
    }

    /** The one call of a method of that name, or {@code Type.name}. */
    Site call(String name) {
      return call(name, 1, 1);
    }

    /** Call {@code number}, counted from 1, of {@code all} to methods of that name. */
    Site call(String name, int number, int all) {
      return new Site(method, name, true, number, all);
    }

    /** The one place where a field of that name is read. */
    Site field(String name) {
      return field(name, 1, 1);
    }

    /** Place {@code number}, counted from 1, of {@code all} where a field of that name is read. */
    Site field(String name, int number, int all) {
      return new Site(method, name, false, number, all);
    }
  }

  /** What may be done at a place. */
  record Site(String method, String name, boolean isCall, int number, int all) {
    /** What comes of it is {@code value}. */
    Edit gives(Object value) {
      return new AtSite(this, After.constant(value));
    }

    /** What comes of it is more by so much. */
    Edit plus(long more) {
      return new AtSite(this, After.plus(more));
    }

    /** A truth is a lie, a number has the other sign. */
    Edit negated() {
      return new AtSite(this, After.NEGATED);
    }

    /** The last argument of the call is more by so much. */
    Edit withArgumentPlus(long more) {
      return new ArgumentPlus(this, more);
    }

    /** The method of that name is called instead, with the same arguments. */
    Edit calls(String other) {
      return new OtherCall(this, other);
    }

    /** The call is left out. Where a value must come of it, that is its receiver, or nothing. */
    Edit leftOut() {
      return new LeftOut(this, null);
    }

    /** The call is left out, and what comes of it is {@code value}. */
    Edit leftOutAndGives(Object value) {
      return new LeftOut(this, value);
    }

    /** The next comparison by order, after it, counts equal ones to the other side. */
    Edit comparedOtherwise() {
      return new Boundary(this);
    }

    /** The next comparison of two {@code long}, after it, finds them equal. */
    Edit foundEqual() {
      return new Equality(this);
    }

    private boolean is(String owner, String member) {
      int dot = name.lastIndexOf('.');
      String simple = owner.substring(Math.max(owner.lastIndexOf('/'), owner.lastIndexOf('$')) + 1);
      return member.equals(name.substring(dot + 1))
          && (dot < 0 || simple.equals(name.substring(0, dot)));
    }
  }

  /** Without its parameters. */
  final String methodName() {
    return method.replaceFirst("\\(.*", "");
  }

  /** Whether the method is the one. */
  final boolean isIn(String name, String descriptor) {
    if (!method.contains("(")) {
      return name.equals(method);
    }
    String types =
        Arrays.stream(Type.getArgumentTypes(descriptor))
            .map(type -> type.getClassName().replaceFirst(".*[.$]", ""))
            .collect(Collectors.joining(","));
    return (name + "(" + types + ")").equals(method);
  }

  /** Passes the method's code on, changed. */
  abstract MethodVisitor rewriting(MethodVisitor next, int access, String descriptor);

  /** How many places there must be. */
  int wanted() {
    return 1;
  }

  final void found() {
    found++;
  }

  /** Begins anew. */
  final void forget() {
    found = 0;
  }

  /**
   * @throws IllegalStateException if the code is no longer what it was written for
   */
  final void check(String in) {
    if (found != wanted()) {
      throw new IllegalStateException(
          in + "." + method + ": " + found + " places instead of " + wanted() + " to be changed");
    }
  }

  private static void push(MethodVisitor code, Object value, Type type) {
    if (value == null) {
      code.visitInsn(Opcodes.ACONST_NULL);
    } else if (value instanceof Enum<?> constant) {
      Class<?> declaring = constant.getDeclaringClass();
      code.visitFieldInsn(
          Opcodes.GETSTATIC,
          Type.getInternalName(declaring),
          constant.name(),
          Type.getDescriptor(declaring));
    } else if (type.getSort() == Type.BOOLEAN) {
      code.visitInsn((Boolean) value ? Opcodes.ICONST_1 : Opcodes.ICONST_0);
    } else if (type.getSort() == Type.LONG) {
      code.visitLdcInsn(((Number) value).longValue());
    } else {
      code.visitLdcInsn(((Number) value).intValue());
    }
  }

  private static void pop(MethodVisitor code, Type type) {
    if (type.getSize() > 0) {
      code.visitInsn(type.getSize() == 2 ? Opcodes.POP2 : Opcodes.POP);
    }
  }

  /** What becomes of a value that has come. */
  private interface After {
    void rewrite(MethodVisitor code, Type type);

    After NEGATED =
        (code, type) -> {
          if (type.getSort() == Type.BOOLEAN) {
            code.visitInsn(Opcodes.ICONST_1);
            code.visitInsn(Opcodes.IXOR);
          } else {
            code.visitInsn(type.getOpcode(Opcodes.INEG));
          }
        };

    static After constant(Object value) {
      return (code, type) -> {
        pop(code, type);
        push(code, value, type);
      };
    }

    static After plus(long more) {
      return (code, type) -> {
        push(code, more, type);
        code.visitInsn(type.getOpcode(Opcodes.IADD));
      };
    }
  }

  private static final class Body extends Edit {
    private final Object value;

    Body(String method, Object value) {
      super(method);
      this.value = value;
    }

    @Override
    MethodVisitor rewriting(MethodVisitor next, int access, String descriptor) {
      Type type = Type.getReturnType(descriptor);
      return new MethodVisitor(Opcodes.ASM9, next) {
        @Override
        public void visitCode() {
          found();
          mv.visitCode();
          if (type.getSort() != Type.VOID) {
            push(mv, value, type);
          }
          mv.visitInsn(type.getOpcode(Opcodes.IRETURN));
          mv.visitMaxs(0, 0);
          mv.visitEnd();
          // Nothing of the old code.
          mv = null;
        }
      };
    }
  }

  private static final class Parameter extends Edit {
    private final int number;
    private final Object value;

    Parameter(String method, int number, Object value) {
      super(method);
      this.number = number;
      this.value = value;
    }

    @Override
    MethodVisitor rewriting(MethodVisitor next, int access, String descriptor) {
      Type[] types = Type.getArgumentTypes(descriptor);
      int slot = (access & Opcodes.ACC_STATIC) == 0 ? 1 : 0;
      for (int i = 0; i < number; i++) {
        slot += types[i].getSize();
      }
      int variable = slot;
      return new MethodVisitor(Opcodes.ASM9, next) {
        @Override
        public void visitCode() {
          found();
          super.visitCode();
          push(mv, value, types[number]);
          mv.visitVarInsn(types[number].getOpcode(Opcodes.ISTORE), variable);
        }
      };
    }
  }

  /** Changes of a place among several. */
  private abstract static class OfSite extends Edit {
    private final Site site;
    private int seen;

    OfSite(Site site) {
      super(site.method);
      this.site = site;
    }

    @Override
    int wanted() {
      return site.all;
    }

    @Override
    final MethodVisitor rewriting(MethodVisitor next, int access, String descriptor) {
      seen = 0;
      return new MethodVisitor(Opcodes.ASM9, next) {
        @Override
        public void visitMethodInsn(
            int opcode, String owner, String name, String type, boolean isInterface) {
          Runnable call = () -> super.visitMethodInsn(opcode, owner, name, type, isInterface);
          if (site.isCall && site.is(owner, name) && isTheOne()) {
            call(new Call(mv, opcode, owner, name, type, isInterface), call);
          } else {
            call.run();
          }
        }

        @Override
        public void visitFieldInsn(int opcode, String owner, String name, String type) {
          super.visitFieldInsn(opcode, owner, name, type);
          boolean isRead = opcode == Opcodes.GETFIELD || opcode == Opcodes.GETSTATIC;
          if (!site.isCall && isRead && site.is(owner, name) && isTheOne()) {
            read(mv, Type.getType(type));
          }
        }

        @Override
        public void visitJumpInsn(int opcode, Label label) {
          super.visitJumpInsn(jump(opcode), label);
        }

        @Override
        public void visitInsn(int opcode) {
          super.visitInsn(opcode);
          plain(mv, opcode);
        }

        @Override
        public void visitEnd() {
          end();
          super.visitEnd();
        }
      };
    }

    private boolean isTheOne() {
      found();
      return ++seen == site.number;
    }

    /** Writes the call that is to be changed. */
    abstract void call(Call call, Runnable unchanged);

    /** A field's value has come. */
    void read(MethodVisitor code, Type type) {
      throw new IllegalStateException("Not of a field");
    }

    /** A conditional jump as it is to be. */
    int jump(int opcode) {
      return opcode;
    }

    /** An instruction without operands was written. */
    void plain(MethodVisitor code, int opcode) {}

    /** The method's code is at its end. */
    void end() {}
  }

  private record Call(
      MethodVisitor code, int opcode, String owner, String name, String type, boolean isInterface) {
    Type result() {
      return Type.getReturnType(type);
    }

    Type[] arguments() {
      return Type.getArgumentTypes(type);
    }
  }

  private static final class AtSite extends OfSite {
    private final After after;

    AtSite(Site site, After after) {
      super(site);
      this.after = after;
    }

    @Override
    void call(Call call, Runnable unchanged) {
      unchanged.run();
      after.rewrite(call.code, call.result());
    }

    @Override
    void read(MethodVisitor code, Type type) {
      after.rewrite(code, type);
    }
  }

  private static final class ArgumentPlus extends OfSite {
    private final long more;

    ArgumentPlus(Site site, long more) {
      super(site);
      this.more = more;
    }

    @Override
    void call(Call call, Runnable unchanged) {
      Type[] arguments = call.arguments();
      After.plus(more).rewrite(call.code, arguments[arguments.length - 1]);
      unchanged.run();
    }
  }

  private static final class OtherCall extends OfSite {
    private final String other;

    OtherCall(Site site, String other) {
      super(site);
      this.other = other;
    }

    @Override
    void call(Call call, Runnable unchanged) {
      call.code.visitMethodInsn(call.opcode, call.owner, other, call.type, call.isInterface);
    }
  }

  private static final class LeftOut extends OfSite {
    private final Object instead;

    LeftOut(Site site, Object instead) {
      super(site);
      this.instead = instead;
    }

    @Override
    void call(Call call, Runnable unchanged) {
      Type[] arguments = call.arguments();
      boolean isStatic = call.opcode == Opcodes.INVOKESTATIC;
      Type result = call.result();
      if (isStatic && arguments.length == 1 && arguments[0].equals(result)) {
        // The argument goes through.
        return;
      }
      for (int i = arguments.length - 1; i >= 0; i--) {
        pop(call.code, arguments[i]);
      }
      if (!isStatic && result.equals(Type.getObjectType(call.owner))) {
        // A builder's.
        return;
      }
      if (!isStatic) {
        call.code.visitInsn(Opcodes.POP);
      }
      if (instead != null) {
        push(call.code, instead, result);
        return;
      }
      switch (result.getSort()) {
        case Type.VOID -> {}
        case Type.BOOLEAN -> push(call.code, false, result);
        case Type.OBJECT, Type.ARRAY -> push(call.code, null, result);
        default -> push(call.code, 0, result);
      }
    }
  }

  /** Changes of the comparison that follows a place. */
  private abstract static class Comparison extends OfSite {
    boolean isNext;

    Comparison(Site site) {
      super(site);
    }

    @Override
    void call(Call call, Runnable unchanged) {
      unchanged.run();
      isNext = true;
    }

    @Override
    void read(MethodVisitor code, Type type) {
      isNext = true;
    }

    @Override
    void end() {
      if (isNext) {
        throw new IllegalStateException("No comparison follows");
      }
    }
  }

  private static final class Equality extends Comparison {
    Equality(Site site) {
      super(site);
    }

    @Override
    void plain(MethodVisitor code, int opcode) {
      if (isNext && opcode == Opcodes.LCMP) {
        code.visitInsn(Opcodes.POP);
        code.visitInsn(Opcodes.ICONST_0);
        isNext = false;
      }
    }
  }

  private static final class Boundary extends Comparison {
    Boundary(Site site) {
      super(site);
    }

    @Override
    int jump(int opcode) {
      if (!isNext) {
        return opcode;
      }
      int other =
          switch (opcode) {
            case Opcodes.IFLT -> Opcodes.IFLE;
            case Opcodes.IFLE -> Opcodes.IFLT;
            case Opcodes.IFGT -> Opcodes.IFGE;
            case Opcodes.IFGE -> Opcodes.IFGT;
            case Opcodes.IF_ICMPLT -> Opcodes.IF_ICMPLE;
            case Opcodes.IF_ICMPLE -> Opcodes.IF_ICMPLT;
            case Opcodes.IF_ICMPGT -> Opcodes.IF_ICMPGE;
            case Opcodes.IF_ICMPGE -> Opcodes.IF_ICMPGT;
            default -> opcode;
          };
      isNext = other == opcode;
      return other;
    }
  }
}
