// A subset of Markdown, rendered as elements: nothing in a text is parsed as HTML.
import { h } from "./shell.js";

const PICTURE = /^!\[(.*)\]\((.*)\)$/;

/** Headings, paragraphs, lists, tables; within them `code`, *em* and **strong**. `picture(alt, source)` makes elements of
 * lines such as `![alt](source)`, which stand together in a block of their own; without it they are left out. */
export function markdown(text, { picture = null } = {}) {
  return text.trim().split(/\n{2,}/).map((each) => block(each, picture));
}

function block(text, picture) {
  if (text.startsWith("![")) return picture ? h("div", { class: "pictures" }, text.split("\n").map((line) => picture(...PICTURE.exec(line).slice(1)))) : "";
  const heading = /^### (.*)$/.exec(text);
  if (heading) return h("h3", {}, inline(heading[1]));
  const lines = text.split("\n");
  if (lines[0].startsWith("|")) return table(lines);
  if (/^(\d+\.|[-*]) /.test(lines[0])) return list(lines);
  return h("p", {}, inline(lines.join(" ")));
}

function list(lines) {
  const items = [];
  for (const line of lines) {
    const start = /^(\d+\.|[-*]) (.*)$/.exec(line);
    if (start) items.push(start[2]);
    else items[items.length - 1] += ` ${line.trim()}`;
  }
  return h(/^\d/.test(lines[0]) ? "ol" : "ul", {}, items.map((item) => h("li", {}, inline(item))));
}

function table(lines) {
  const cells = (line) => line.split("|").slice(1, -1).map((cell) => cell.trim());
  const [head, , ...rows] = lines;
  const titles = cells(head);
  const header = titles.some(Boolean) ? h("thead", {}, h("tr", {}, titles.map((cell) => (cell ? h("th", { scope: "col" }, inline(cell)) : h("td", {}))))) : null;
  return h("div", { class: "table-scroll" }, h("table", {}, header, h("tbody", {}, rows.map((row) => h("tr", {}, cells(row).map((cell) => h("td", {}, inline(cell))))))));
}

function inline(text) {
  return text.split(/(`[^`]+`|\*\*[^*]+\*\*|\*[^*]+\*)/).map((part) => {
    if (part.startsWith("`")) return h("code", {}, part.slice(1, -1));
    if (part.startsWith("**")) return h("strong", {}, part.slice(2, -2));
    return part.startsWith("*") && part.length > 2 ? h("em", {}, part.slice(1, -1)) : part;
  });
}
