package io.ishbase.it;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.Tag;

/**
 * Tests that need a JVM in which nobody has run a region server before: they look at what is one of
 * a process (its memory, its metrics, its login, what its log has said once). All others share
 * some, since most of what a cluster costs is its first start in a JVM.
 */
@Tag("own-jvm")
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
public @interface OwnJvm {}
