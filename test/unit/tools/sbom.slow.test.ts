import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'

const ROOT = join(import.meta.dirname, '../../..')

interface Component {
  readonly name: string
  readonly version: string
  readonly purl: string
  readonly hashes: readonly { readonly alg: string; readonly content: string }[]
}

it('npm run sbom prints a CycloneDX document of exactly the packages that are installed with this one, with checksums', async () => {
  const { stdout } = await promisify(execFile)('npm', ['run', '--silent', 'sbom'], { cwd: ROOT, maxBuffer: 1e8 })
  const sbom: { bomFormat: string; components: readonly Component[]; metadata: { component: { purl: string } } } =
    JSON.parse(stdout)
  const { dependencies, name, version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'))
  const { packages } = JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8')) as {
    packages: Readonly<Record<string, { dependencies?: Readonly<Record<string, string>> }>>
  }
  const installed = new Set(Object.keys(dependencies))
  for (const installedName of installed)
    for (const own of Object.keys(packages[`node_modules/${installedName}`]?.dependencies ?? {})) installed.add(own)

  expect(sbom.bomFormat).toBe('CycloneDX')
  expect(sbom.metadata.component.purl).toBe(`pkg:npm/${name}@${version}`)
  expect(sbom.components.map((component) => component.name).sort()).toEqual([...installed].sort())
  for (const { purl, version: found, hashes } of sbom.components) {
    expect(purl.endsWith(`@${found}`)).toBe(true)
    expect(hashes).toContainEqual({ alg: 'SHA-512', content: expect.stringMatching(/^[0-9a-f]{128}$/) })
  }
})
