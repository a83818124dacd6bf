/**
 * A decision of the configuration service, with 100 rules and with 10,000 in ten policies, about names asked for the first time.
 * `name alone` is the time that such a name takes.
 */
import { authorizerOf, parseRules } from '../../dist/configsvc/rules/index.js'
import { freshTexts } from '../fresh-texts.mjs'
import { measure } from '../measure.mjs'
import { microseconds, table, target, timeCell } from '../report.mjs'
import { ruleOf } from '../service-rules.mjs'

export const title = 'Decision of the configuration service'

const POLICIES = 10

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

export async function run() {
  const rows = []
  const targets = []
  for (const rules of [100, 10_000]) {
    const decider = authorizer(rules)
    for (const [kind, [resource, access, make]] of Object.entries(QUESTIONS)) {
      const fresh = freshTexts(Array.from({ length: 20_000 }, (_, i) => make(i % rules)))
      let sink = 0
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
