/** The curve P-224. noble does not include its parameters. Source: SP 800-186 section 3.2.1.2. */
import { type ECDSA, ecdsa, weierstrass } from '@noble/curves/abstract/weierstrass.js'
import { sha224 } from '@noble/hashes/sha2.js'

let curve: ECDSA | undefined

/** The curve is created at its first use. */
export function p224(): ECDSA {
  curve ??= ecdsa(
    weierstrass({
      p: BigInt('0xffffffffffffffffffffffffffffffff000000000000000000000001'),
      n: BigInt('0xffffffffffffffffffffffffffff16a2e0b8f03e13dd29455c5c2a3d'),
      h: BigInt(1),
      a: BigInt('0xfffffffffffffffffffffffffffffffefffffffffffffffffffffffe'),
      b: BigInt('0xb4050a850c04b3abf54132565044b0b7d7bfd8ba270b39432355ffb4'),
      Gx: BigInt('0xb70e0cbd6bb4bf7f321390b94a03c1d356c21122343280d6115c1d21'),
      Gy: BigInt('0xbd376388b5f723fb4c22dfe6cd4375a05a07476444d5819985007e34'),
    }),
    sha224,
  )
  return curve
}
