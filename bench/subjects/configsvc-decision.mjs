/**
 * A decision of the configuration service, with 100 rules and with 10,000 in ten policies, about names asked for the first time: they are cut from a
 * buffer, as those of requests are. `name alone` is the time that takes.
 */
import { authorizerOf, parseRules } from '../../dist/configsvc/rules/index.js'
import { measure } from '../measure.mjs'
import { microseconds, table, target, timeCell } from '../report.mjs'

export const title = 'Decision of the configuration service'

const POLICIES = 10

/** Half of the rules on services and half on keys; half of each on a name and half on a prefix. */
const ruleOf = (i) =>
  [
    `service "team-${i}-web" { policy = "write" }`,
    `service_prefix "team-${i}-" { policy = "read" intentions = "write" }`,
    `key "config/team-${i}/main" { policy = "read" }`,
    `key_prefix "config/team-${i}/" { policy = "write" }`,
  ][i % 4]

function authorizer(rules) {
  const texts = Array.from({ length: POLICIES }, () => [])
  for (let i = 0; i < rules; i++) texts[i % POLICIES].push(ruleOf(i))
  return authorizerOf(
    texts.map((blocks, i) => ({ name: `policy-${i}`, rules: parseRules(blocks.join('\n')) })),
    'deny',
  )
}

/** What decides, and the question. */
const QUESTIONS = {
  'exact rule': ['service', 'write', (i) => `team-${i - (i % 4)}-web`],
  prefix: ['key', 'read', (i) => `config/team-${i - (i % 4) + 3}/some/key`],
  'no rule': ['service', 'read', (i) => `nobody-${i}`],
  'a whole tree': ['key', 'write-prefix', (i) => `config/team-${i - (i % 4) + 3}/some/`],
  'all intentions': ['intention', 'write', () => '*'],
}

/** Offsets of names in one text. */
function namesOf(make, rules) {
  const names = Array.from({ length: 20_000 }, (_, i) => make(i % rules))
  const text = Buffer.from(names.join(''), 'latin1')
  const ends = new Uint32Array(names.length + 1)
  names.forEach((name, i) => {
    ends[i + 1] = ends[i] + name.length
  })
  return { text, ends, count: names.length }
}

export async function run() {
  const rows = []
  const targets = []
  for (const rules of [100, 10_000]) {
    const decider = authorizer(rules)
    for (const [kind, [resource, access, make]] of Object.entries(QUESTIONS)) {
      const { text, ends, count } = namesOf(make, rules)
      let next = 0
      let sink = 0
      const fresh = () => {
        if (++next === count) next = 0
        return text.latin1Slice(ends[next], ends[next + 1])
      }
      const rounds = await measure(
        {
          'name alone': (n) => {
            for (let i = 0; i < n; i++) sink += fresh().length
          },
          decision: (n) => {
            for (let i = 0; i < n; i++) sink += decider.decide(resource, access, fresh()) ? 1 : 0
          },
        },
        { rounds: 21 },
      )
      if (sink === 0) throw new Error('nothing was measured')
      const extra = rounds.extra('decision', 'name alone')
      targets.push(target(`decision by ${rules} rules, ${kind}`, extra, { atMost: 2 }, microseconds))
      rows.push([rules, kind, ...rounds.names.map((name) => microseconds(rounds.time(name).median)), timeCell(extra)])
    }
  }
  return { targets, text: table(['rules', 'decided by', 'name alone', 'decision', 'decision minus name'], rows) }
}
