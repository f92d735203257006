"use strict";
(() => {
  const place = document.getElementById("search-place");
  const english = document.getElementById("lang-en");
  const field = document.createElement("input");
  const expand = document.createElement("button");
  field.type = "search";
  expand.type = "button";
  const label = () => {
    const words = place.dataset;
    field.placeholder = english.checked ? words.en : words.zh;
    field.setAttribute("aria-label", field.placeholder);
    expand.textContent = english.checked ? words.expandEn : words.expandZh;
  };
  label();
  for (const choice of document.getElementsByName("lang")) choice.addEventListener("change", label);
  place.append(field, expand);

  const sections = [...document.querySelectorAll(".fn")].map((element) => ({
    element,
    name: element.querySelector("h4").textContent.toLowerCase(),
    rows: [...element.querySelectorAll("tbody tr, tr[id]")].map((row) => ({
      row, text: row.firstElementChild.textContent.toLowerCase(),
    })),
  }));
  const chapters = [...document.querySelectorAll(".chapter")];
  const search = () => {
    const wanted = field.value.trim().toLowerCase();
    for (const section of sections) {
      const whole = !wanted || section.name.includes(wanted);
      let any = whole;
      for (const { row, text } of section.rows) {
        const shown = whole || text.includes(wanted);
        row.classList.toggle("filtered", !shown);
        any = any || shown;
      }
      section.element.classList.toggle("filtered", !any);
    }
    for (const chapter of chapters) {
      chapter.classList.toggle("filtered", !chapter.querySelector(".fn:not(.filtered)"));
    }
  };
  let timer = 0;
  field.addEventListener("input", () => {
    clearTimeout(timer);
    timer = setTimeout(search, 120);
  });
  expand.addEventListener("click", () => {
    const all = [...document.querySelectorAll("details")];
    const open = all.some((element) => !element.open);
    for (const element of all) element.open = open;
  });
  const reveal = () => {
    const target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
    for (let at = target; at; at = at.parentElement) {
      if (at.tagName === "DETAILS") at.open = true;
    }
    if (target && target.closest(".filtered")) {
      field.value = "";
      search();
    }
    if (target) target.scrollIntoView();
  };
  addEventListener("hashchange", reveal);
  if (location.hash) reveal();
})();
