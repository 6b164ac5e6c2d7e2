import { useState } from 'react'

interface PictureProps {
  /** From `findPicture`. */
  address: string
  size?: number
}

/** A picture beside the heading, which says what it shows. Its server learns no address of a page. */
export const Picture = ({ address, size = 80 }: PictureProps) => {
  const [isBroken, setBroken] = useState(false)
  if (isBroken) return null
  return (
    <img
      className="result-picture"
      src={address}
      alt=""
      width={size}
      height={size}
      loading="lazy"
      referrerPolicy="no-referrer"
      onError={() => setBroken(true)}
    />
  )
}
