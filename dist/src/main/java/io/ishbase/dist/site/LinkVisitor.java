package io.ishbase.dist.site;

import org.commonmark.node.AbstractVisitor;
import org.commonmark.node.Image;
import org.commonmark.node.Link;

/** Gives each link and image of a document another destination. */
abstract class LinkVisitor extends AbstractVisitor {
  /** What is to stand in the place of a link. */
  abstract String destination(String link);

  @Override
  public void visit(Link link) {
    link.setDestination(destination(link.getDestination()));
    visitChildren(link);
  }

  @Override
  public void visit(Image image) {
    image.setDestination(destination(image.getDestination()));
    visitChildren(image);
  }
}
