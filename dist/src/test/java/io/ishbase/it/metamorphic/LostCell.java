package io.ishbase.it.metamorphic;

import java.util.ArrayList;
import java.util.List;

/**
 * A seeded wrong answer: the first configuration's scans of more than one version lack the column
 * {@code f:q3} of rows that have a cell of {@code g} as well.
 */
final class LostCell implements Run.Defect {
  @Override
  public Answer told(Subject subject, Line operation, Answer answer) {
    if (!subject.name().equals("c1")
        || !operation.verb().equals("scan")
        || operation.number("versions", 1) == 1) {
      return answer;
    }
    List<String> results = new ArrayList<>();
    for (String row : answer.results()) {
      results.add(row.contains("/g:") ? row.replaceFirst("\\S*/f:q3@\\S* ?", "") : row);
    }
    return new Answer(results, answer.thrown(), answer.message());
  }
}
