import { Text } from '@mantine/core'
import { IconPhotoOff } from '@tabler/icons-react'
import { useState } from 'react'
import { t } from '#i18n/translate.ts'

interface PictureProps {
  /** From `findPicture`. */
  address: string
  size?: number
}

/** There is no room for an address below this size. */
const addressSizeMin = 60

/** A picture beside the heading, which says what it shows. Its server learns no address of a page. */
export const Picture = ({ address, size = 80 }: PictureProps) => {
  const [isBroken, setBroken] = useState(false)
  if (isBroken) return <NoPicture address={address} size={size} />
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

/** The address of a picture that does not load. */
const NoPicture = ({ address, size }: Required<PictureProps>) => (
  <a
    className="result-picture no-picture"
    href={address}
    target="_blank"
    rel="noreferrer"
    title={address}
    aria-label={t('This picture does not load: {address}', { address })}
    style={{ width: size, height: size }}
  >
    <IconPhotoOff size={18} aria-hidden />
    {size >= addressSizeMin && (
      <Text span size="xs" lineClamp={2}>
        {address.replace(/^https?:\/\//, '')}
      </Text>
    )}
  </a>
)
