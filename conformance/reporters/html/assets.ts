/**
 * Style sheet and script for the HTML report.
 *
 * @module
 */

/** Style sheet. */
export const STYLE = `
:root{color-scheme:light dark;--bg:#fbfaf7;--card:#fff;--ink:#1d1d22;--mute:#5f5e66;--line:#e4e1d9;--accent:#4338b8;
--pass:#15703f;--passbg:#e3f3ea;--fail:#b3202e;--failbg:#fce8e8;--warn:#7d5200;--warnbg:#fbf0d6;--na:#efede7;--nabar:#c9c6bd;
--add:#bfe8cd;--del:#fbc9cb;--mono:ui-monospace,"SF Mono",Menlo,Consolas,"DejaVu Sans Mono",monospace;
--sans:system-ui,"Segoe UI",Roboto,"Helvetica Neue",sans-serif}
@media screen and (prefers-color-scheme:dark){:root{--bg:#131418;--card:#1b1d23;--ink:#e9e7e2;--mute:#a3a2ab;--line:#2e3038;
--accent:#a9a2ff;--pass:#5fd08f;--passbg:#16301f;--fail:#ff8d8d;--failbg:#3b181c;--warn:#e8b64c;--warnbg:#33280f;--na:#24262d;
--nabar:#484b56;--add:#1f5a36;--del:#712029}}
*{box-sizing:border-box}
html{scroll-padding-top:4.5rem}
body{margin:0;background:var(--bg);color:var(--ink);font:16px/1.55 var(--sans)}
a{color:var(--accent);text-underline-offset:.18em}
:focus-visible{outline:2px solid var(--accent);outline-offset:2px;border-radius:4px}
code,pre{font-family:var(--mono);font-size:.86em}
main,header>div,nav>div,footer{max-width:68rem;margin:auto;padding:0 1.5rem}
header{padding:2.6rem 0 1.6rem}
header>div{display:grid;gap:1.2rem}
.eyebrow{margin:0;font-size:.8rem;letter-spacing:.08em;text-transform:uppercase;color:var(--mute);font-weight:600}
h1{font-size:2.2rem;line-height:1.15;margin:.2rem 0 0;overflow-wrap:anywhere}
h1 small{font-weight:400;color:var(--mute);font-size:1.25rem}
.verdict{font-size:1.2rem;margin:0}
.verdict .bad{color:var(--fail)}
.verdict .good{color:var(--pass)}
.bar{display:flex;height:.75rem;border-radius:99px;overflow:hidden;gap:2px}
.bar i{display:block;min-width:6px}
.bar .pass{background:var(--pass)}
.bar .fail{background:var(--fail)}
.bar .warn{background:var(--warn)}
.bar .na{background:var(--nabar)}
.facts{display:flex;flex-wrap:wrap;gap:.4rem 1.6rem;margin:0;padding:0;list-style:none;color:var(--mute);font-size:.93rem}
.facts b{color:var(--ink)}
nav{position:sticky;top:0;background:var(--bg);border-block:1px solid var(--line);z-index:2}
nav>div{display:flex;gap:.6rem;align-items:center;flex-wrap:wrap;padding-block:.6rem}
input{flex:1 1 14rem;font:inherit;font-size:.95rem;padding:.4rem .7rem;border:1px solid var(--mute);border-radius:8px;background:var(--card);color:var(--ink)}
button{font:inherit;font-size:.88rem;padding:.36rem .75rem;border:1px solid var(--mute);border-radius:8px;background:var(--card);color:var(--ink);cursor:pointer}
button[aria-pressed=true]{border-color:var(--accent);color:var(--accent);box-shadow:inset 0 0 0 1px var(--accent)}
h2{font-size:1.3rem;margin:2.6rem 0 .9rem}
h2 small{color:var(--mute);font-weight:400;font-size:inherit}
.tables{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(26rem,100%),1fr));gap:1rem 2rem;align-items:start}
.scroll{overflow-x:auto}
table{border-collapse:separate;border-spacing:3px;width:100%;font-size:.9rem;font-variant-numeric:tabular-nums}
caption{text-align:left;font-weight:600;padding:.3rem .5rem}
th{text-align:left;padding:.3rem .5rem}
thead th{color:var(--mute);font-size:.78rem}
thead th+th{text-align:center}
tbody th{font-weight:500;overflow-wrap:break-word}
td{padding:0;text-align:center;min-width:4.2rem}
td>*{display:block;border-radius:6px;padding:.32rem .4rem;background:var(--na);color:var(--mute);font-size:.88rem}
td .ok{background:var(--passbg);color:var(--pass)}
td .bad{background:var(--failbg);color:var(--fail);font-weight:700}
td .part{background:var(--warnbg);color:var(--warn)}
td .none{background:none}
article{background:var(--card);border:1px solid var(--line);border-left:4px solid var(--fail);border-radius:10px;padding:1.1rem 1.3rem 1.2rem;margin:0 0 1rem}
article.known{border-left-color:var(--warn)}
h3{margin:0;font-size:1.1rem;line-height:1.35;overflow-wrap:anywhere}
h3 a{color:inherit;text-decoration:none}
h3 a:hover{text-decoration:underline}
.meta{margin:.35rem 0 .7rem;font-size:.85rem;color:var(--mute);overflow-wrap:anywhere}
.chip{display:inline-block;border-radius:5px;padding:.08rem .45rem;font-size:.75rem;font-weight:700;background:var(--failbg);color:var(--fail)}
.chip.plain{background:var(--na);color:var(--mute);font-weight:600}
.chip.warn{background:var(--warnbg);color:var(--warn)}
.why{margin:.2rem 0 .9rem}
.note{margin:.6rem 0 0;color:var(--mute);font-size:.92rem;white-space:pre-wrap;overflow-wrap:anywhere}
.comparison{display:grid;grid-template-columns:5.6rem 1fr;gap:.35rem .9rem;font-size:.92rem;margin:0}
.comparison dt{color:var(--mute);padding-top:.28rem}
.comparison dd{margin:0;min-width:0}
pre{margin:0;padding:.45rem .7rem;background:var(--na);border-radius:7px;white-space:pre-wrap;overflow-wrap:anywhere;line-height:1.5}
mark{background:var(--add);color:inherit;border-radius:3px}
.got mark{background:var(--del)}
.clause{border-left:3px solid var(--line);margin:.9rem 0 0;padding:.1rem 0 .1rem .9rem;font-size:.93rem;overflow-wrap:anywhere}
.clause>b{font-family:var(--mono);font-size:.86em}
.source{color:var(--mute);font-size:.86rem}
details{margin-top:.3rem}
summary{cursor:pointer;color:var(--mute);font-size:.93rem;padding:.25rem 0;overflow-wrap:anywhere}
.run{display:flex;gap:.5rem;margin-top:.9rem;align-items:start}
.run pre{flex:1;min-width:0}
.list{list-style:none;margin:0 0 .6rem;padding:0;font-size:.92rem}
.list li{padding:.16rem 0;overflow-wrap:anywhere;break-inside:avoid}
.list code{color:var(--mute)}
.columns{columns:26rem;column-gap:2rem}
footer{color:var(--mute);font-size:.87rem;padding:3rem 1.5rem}
.sr{position:absolute;clip-path:inset(50%);width:1px;height:1px;overflow:hidden;white-space:nowrap}
[hidden]{display:none!important}
@media(max-width:46rem){html{scroll-padding-top:8rem}h1{font-size:1.7rem}.comparison{grid-template-columns:1fr}.run{flex-direction:column}}
@media print{@page{margin:14mm}*{print-color-adjust:exact;-webkit-print-color-adjust:exact}nav,.copy{display:none!important}
body{background:#fff;font-size:10.5pt}article{break-inside:avoid-page}header{padding-top:0}
details::details-content{content-visibility:visible;block-size:auto}}
`;

/** Script for filters and buttons. The page is complete without the script. */
export const SCRIPT = `
const nav = document.querySelector("nav");
const search = document.getElementById("search");
const count = document.getElementById("count");
const cards = [...document.querySelectorAll(".case")];
const levels = [...nav.querySelectorAll("button")];
let level = "", area = "";
function show() {
  const words = search.value.trim().toLowerCase();
  let shown = 0;
  for (const card of cards) {
    const fits = (!level || card.dataset.level === level) && (!area || card.dataset.area === area) &&
      (!words || card.textContent.toLowerCase().includes(words));
    card.hidden = !fits;
    shown += fits ? 1 : 0;
  }
  count.textContent = words || level || area ? shown + " of " + cards.length + " shown" : "";
  for (const button of levels) button.setAttribute("aria-pressed", String(button.dataset.filter === level));
}
search.addEventListener("input", () => { area = ""; show(); });
document.addEventListener("click", async ({ target }) => {
  const cell = target.closest("a[data-area]"), button = target.closest("button");
  if (cell) { area = cell.dataset.area; level = cell.dataset.level; search.value = ""; show(); }
  if (button && "filter" in button.dataset) { level = button.dataset.filter; area = ""; show(); }
  if (button && "copy" in button.dataset) {
    await navigator.clipboard.writeText(button.dataset.copy);
    const label = button.firstChild;
    label.data = "Copied";
    setTimeout(() => label.data = "Copy", 1500);
  }
});
addEventListener("hashchange", () => {
  const card = document.getElementById(decodeURIComponent(location.hash.slice(1)));
  if (!card?.hidden) return;
  level = area = search.value = "";
  show();
  card.scrollIntoView();
});
addEventListener("beforeprint", () => { for (const each of document.querySelectorAll(".case details")) each.open = true; });
nav.hidden = cards.length === 0;
if (navigator.clipboard) for (const each of document.querySelectorAll(".copy")) each.hidden = false;
`;
