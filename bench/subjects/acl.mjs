/**
 * The check of a request by the policies of its token: 10 policies of 100 rules each, every path asked for the first time.
 * `path alone` is the time that a path takes that nothing is known of.
 */
import { compileAcl, parsePolicy } from '../../dist/core/policy/index.js'
import { freshTexts } from '../fresh-texts.mjs'
import { measure } from '../measure.mjs'
import { microseconds, table, target, timeCell } from '../report.mjs'

const POLICIES = 10
const RULES = 100

export const title = 'Policy check of a path not asked for before (10 policies of 100 rules)'

/** What policies look like: mostly prefixes, some exact paths, some segment wildcards, a few denials. */
function policyText(policy) {
  const blocks = []
  for (let rule = 0; rule < RULES; rule++) {
    const pattern = [
      `secret/data/team-${policy}/app-${rule}/*`,
      `secret/metadata/team-${policy}/app-${rule}/*`,
      `transit/encrypt/team-${policy}-key-${rule}`,
      `secret/data/team-${policy}/+/app-${rule}/config`,
      `database/creds/team-${policy}-role-${rule}*`,
    ][rule % 5]
    blocks.push(`path "${pattern}" { capabilities = [${rule % 25 === 0 ? '"deny"' : '"create", "read", "update", "list"'}] }`)
  }
  return blocks.join('\n')
}

/** Paths that a kind of rule decides, or that none does. */
const pathsOf = (make) => Array.from({ length: 20_000 }, (_, i) => make(i % POLICIES, Math.floor(i / POLICIES) % RULES, i))

const KINDS = {
  prefix: (policy, rule, i) => `secret/data/team-${policy}/app-${rule - (rule % 5)}/service-${i}`,
  exact: (policy, rule) => `transit/encrypt/team-${policy}-key-${rule - (rule % 5) + 2}`,
  'segment wildcard': (policy, rule, i) => `secret/data/team-${policy}/service-${i}/app-${rule - (rule % 5) + 3}/config`,
  'no rule': (policy, rule, i) => `secret/data/team-${policy}/unknown-${rule}/service-${i}`,
}

export async function run() {
  const policies = Array.from({ length: POLICIES }, (_, i) => ({
    name: `policy-${i}`,
    policy: parsePolicy(policyText(i)),
    namespace: '',
  }))
  const acl = compileAcl(policies)
  const rows = []
  const targets = []
  for (const [kind, make] of Object.entries(KINDS)) {
    const fresh = freshTexts(pathsOf(make))
    let sink = 0
    const rounds = await measure(
      {
        'path alone': (n) => {
          for (let i = 0; i < n; i++) sink += fresh().length
        },
        check: (n) => {
          for (let i = 0; i < n; i++) sink += acl.decide({ operation: 'read', path: fresh() }).allowed ? 1 : 0
        },
      },
      { rounds: 21 },
    )
    if (sink === 0) throw new Error('nothing was measured')
    const extra = rounds.extra('check', 'path alone')
    targets.push(target(`policy check, ${kind}: check minus path`, extra, { atMost: 0.5 }, microseconds))
    rows.push([kind, ...rounds.names.map((name) => microseconds(rounds.time(name).median)), timeCell(extra)])
  }
  return { targets, text: table(['decided by', 'path alone', 'check', 'check minus path'], rows) }
}
