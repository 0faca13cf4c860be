// What an operator decides about a job: to pause it, to resume it, to run one tick again.

import {change, currentSession, segment} from "./api.js";
import {foreign, h} from "./dom.js";
import {t} from "./i18n.js";
import {badge, command, quoted, toast} from "./parts.js";
import {confirm} from "./release.js";
import {moment} from "./time.js";

/** What is decided about a job, for everybody to see; and the buttons, for those who may. */
export function decisions(job) {
  const operator = currentSession()?.operator;
  const button = (word, act, key = word) => h("button", {type: "button", "data-act": key, "data-focus": `${job.job} ${key}`, "aria-label": `${t(word)} ${job.job}`, onclick: act}, t(word));
  return [
    job.paused && h("div", {class: "decided"}, badge(t("paused"), "warn"), " ",
      foreign(t("pausedBy", {who: job.paused.by, time: moment(job.paused.since), reason: job.paused.reason}))),
    job.permits.map((permit) => h("div", {class: "decided", "data-permit": permit.tick}, badge(t("permitted"), "accent"), " ",
      foreign(t("permittedBy", {tick: moment(permit.tick), who: permit.by, time: moment(permit.since), reason: permit.reason})),
      " ", operator && button("withdraw", () => askWithdraw(job, permit), `withdraw ${permit.tick}`))),
    operator && h("div", {class: "acts"},
      job.paused ? button("resume", () => askJob(job, "resume")) : button("pause", () => askJob(job, "pause")),
      ticks(job).length > 0 && button("rerun", () => askRerun(job))),
  ];
}

/** The ticks that may be permitted: done, and without a permit; the newest first. */
function ticks(job) {
  const done = [job.tick, ...job.runs.map((run) => run.tick)].filter((tick) => tick && job.tick && Date.parse(tick) <= Date.parse(job.tick));
  return [...new Set(done)].filter((tick) => !job.permits.some((permit) => permit.tick === tick)).sort((a, b) => Date.parse(b) - Date.parse(a));
}

const send = async (job, verb, body) => {
  await change(`jobs/${segment(job.job)}/${verb}`, body);
  toast(t("done"));
};

function ask(job, verb, more) {
  confirm({
    title: t(`${verb}Title`),
    what: t(`${verb}What`, {job: job.job}),
    label: t("doIt"),
    changed: "jobChanged",
    facts: [[t("job"), foreign(job.job)]],
    act: (reason) => send(job, verb, {reason}),
    ...more,
  });
}

function askJob(job, verb) {
  const facts = [[t("job"), foreign(job.job)]];
  if (job.runner) facts.push([t("running"), foreign(job.runner.node)]);
  if (job.paused) facts.push([t("paused"), foreign(t("pausedBy", {who: job.paused.by, time: moment(job.paused.since), reason: job.paused.reason}))]);
  ask(job, verb, {facts});
}

function askRerun(job) {
  const select = h("select", {id: "tick"}, ticks(job).map((tick) => h("option", {value: tick}, `${moment(tick)} (${tick})`)));
  const place = h("div", {});
  const line = () => place.replaceChildren(command(`pawl run ${quoted(job.job)} --tick ${select.value} -- …`));
  select.addEventListener("change", line);
  line();
  ask(job, "rerun", {
    field: {element: [h("label", {}, t("tick"), select), place], get value() { return select.value; }},
    act: (reason, tick) => send(job, "rerun", {tick, reason}),
  });
}

function askWithdraw(job, permit) {
  ask(job, "withdraw", {
    facts: [[t("job"), foreign(job.job)], [t("tick"), permit.tick]],
    act: (reason) => send(job, "withdraw", {tick: permit.tick, reason}),
  });
}
