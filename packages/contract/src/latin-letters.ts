/** Writes names in Latin letters, so that they can be part of addresses. */

/** Letters with the Latin ones that people write for them (BGN/PCGN for Russian, ISO 843 for Greek). */
const spellings: Readonly<Record<string, string>> = Object.fromEntries(
  [
    'а=a б=b в=v г=g д=d е=e ж=zh з=z и=i к=k л=l м=m н=n о=o п=p р=r с=s т=t у=u ф=f х=kh ц=ts ч=ch ш=sh щ=shch ъ= ы=y ь= э=e ю=yu я=ya',
    'і=i є=ye ґ=g ј=j љ=lj њ=nj ћ=c ђ=dj џ=dz ѕ=dz',
    'α=a β=v γ=g δ=d ε=e ζ=z η=i θ=th ι=i κ=k λ=l μ=m ν=n ξ=x ο=o π=p ρ=r σ=s ς=s τ=t υ=y φ=f χ=ch ψ=ps ω=o',
    'ß=ss æ=ae œ=oe ø=o đ=d ð=d þ=th ł=l ħ=h ı=i',
  ]
    .flatMap(line => line.split(' '))
    .map(pair => pair.split('=') as [string, string]),
)

/** Returns the text with Latin letters for Cyrillic and Greek ones, and without accents. Other scripts stay. */
export const writeLatin = (text: string): string =>
  text
    .normalize('NFKD')
    .replace(/\p{M}+/gu, '')
    .replace(/\p{L}/gu, letter => {
      const spelling = spellings[letter.toLowerCase()]
      if (spelling === undefined) return letter
      return letter === letter.toLowerCase() ? spelling : spelling.replace(/^./, first => first.toUpperCase())
    })
