import { h, mount } from "./shell.js";
import { icon } from "./icons.js";
import { t } from "./strings.js";

const main = mount({ title: t("missing.title") });
main.append(
  h("div", { class: "empty" }, icon("lost"), h("h1", {}, t("missing.title")), h("p", {}, t("missing.text")),
    h("div", { class: "row" }, h("a", { class: "button", href: "/" }, t("shell.play")), h("a", { class: "button plain", href: "/watch" }, t("shell.watch")))),
);
