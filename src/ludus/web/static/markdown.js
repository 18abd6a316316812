// A subset of Markdown, rendered as elements: nothing in a text is parsed as HTML.
import { h } from "./shell.js";

/** Headings, paragraphs, lists, tables; within them `code`, *em* and **strong**. */
export function markdown(text) {
  return text.trim().split(/\n{2,}/).map(block);
}

function block(text) {
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
