const found = document.getElementById("found");
const search = document.getElementById("search");
const most = 20;

// A section that has every word is found; one that has them in its title, before others.
function matches(words) {
  const rank = section => words.filter(word => section.title.toLowerCase().includes(word)).length;
  return sections
    .filter(section => words.every(word => (section.title + " " + section.text).toLowerCase().includes(word)))
    .sort((a, b) => rank(b) - rank(a))
    .slice(0, most);
}

function excerpt(text, words) {
  const at = Math.max(0, Math.min(...words.map(word => {
    const index = text.toLowerCase().indexOf(word);
    return index < 0 ? Infinity : index;
  })));
  const from = Number.isFinite(at) ? Math.max(0, at - 40) : 0;
  return (from > 0 ? "… " : "") + text.slice(from, from + 140);
}

function show() {
  const words = search.value.toLowerCase().split(/\s+/).filter(word => word.length > 0);
  document.getElementById("guide").hidden = words.length > 0;
  found.replaceChildren(...(words.length === 0 ? [] : matches(words)).map(section => {
    const link = document.createElement("a");
    link.href = document.body.dataset.root + section.link;
    link.textContent = section.title;
    const text = document.createElement("small");
    text.textContent = excerpt(section.text, words);
    const item = document.createElement("li");
    item.append(link, text);
    return item;
  }));
}

search.addEventListener("input", show);
