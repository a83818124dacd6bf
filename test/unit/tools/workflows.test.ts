/** Rules for the CI workflows: permissions, and third-party actions. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'

const ROOT = join(import.meta.dirname, '../../..')
const FOLDER = join(ROOT, '.github/workflows')
const workflows = readdirSync(FOLDER).map((name) => [name, readFileSync(join(FOLDER, name), 'utf8')] as const)
const manifest = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'))

describe.each(workflows)('the workflow %s', (_, text) => {
  it('gives jobs read access unless a job declares more', () => {
    expect(text).toMatch(/^permissions:\n {2}contents: read\n\n/m)
  })

  it('pins every action to a commit, with its version in a comment', () => {
    const used = [...text.matchAll(/uses: (.*)/g)].map(([, action]) => action)
    expect(used.length).toBeGreaterThan(0)
    for (const action of used) expect(action).toMatch(/^[\w-]+\/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/)
  })

  it('limits the run time of every job', () => {
    const jobs = text.match(/^ {4}runs-on:/gm) ?? []
    expect(text.match(/^ {4}timeout-minutes: \d+$/gm)).toHaveLength(jobs.length)
  })

  it('stores no credentials in a checkout', () => {
    const checkouts = text.match(/actions\/checkout@/g) ?? []
    expect(text.match(/persist-credentials: false/g)).toHaveLength(checkouts.length)
  })

  it('runs only npm scripts that package.json has', () => {
    const scripts = [...text.matchAll(/npm run (?:--silent )?([\w:]+)/g)].map(([, script]) => script)
    for (const script of scripts) expect(Object.keys(manifest.scripts)).toContain(script)
  })
})

describe('the workflow ci.yml', () => {
  const ci = workflows.find(([name]) => name === 'ci.yml')?.[1] ?? ''

  it('tests with the oldest supported Node release and with Node 22, 24 and 26', () => {
    const oldest = /^>=(\d+\.\d+)\.0$/.exec(manifest.engines.node)?.[1]
    const tested = /node: \[(.*)\]/
      .exec(ci)?.[1]
      ?.split(', ')
      .map((line) => line.replaceAll("'", ''))
    expect(tested).toEqual([oldest, '22', '24', '26'])
  })
})
