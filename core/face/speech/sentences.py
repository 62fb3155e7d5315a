"""What the training voices say: sentences written for this project, free to use, in five languages."""

ENGLISH = """
The map on the wall shows every bay along the coast.
My mother baked a plum pie for the boat people.
Pam bumped the lamp, and Bob put it back up.
Five wolves ran far over the frozen river.
Why would we wait when the water is warm?
She should shut the shop before the show.
You threw two blue shoes into the pool.
Please leave these three cheap seats for me.
A cat sat on a flat black mat.
Father parked the large car in the yard.
The judge changed his mind about the garage.
Old Joe rode home alone over the snow.
Our house is now surrounded by brown cows.
The boy enjoys the noise of toys.
He hears clear cheers from the pier.
Where there are bears, take care on the stairs.
Sure, the tour is poor, but the view is pure.
Thirty birds were heard early on Thursday.
Nothing is worth more than the truth.
Those brothers bathe together in smooth weather.
Measure the treasure with pleasure and leisure.
Seven silly swans swam silently south.
Zebras in zoos doze through the breeze.
Peter Piper's pepper pot popped open.
Very few visitors voted on the valley.
Maybe Mummy's number is on the bump of the album.
The quick fox jumps high above lazy dogs.
Good books took a good look at the hook.
Put the full wooden bowl on the cushion.
Who knew that you, too, could chew glue?
I like the bright light of the night sky.
They say the rain may stay away today.
Ten men sent red pens to the west.
Six big pigs did dig in it.
Cups of butter cover some of the lovely buns.
The law caught all four horses at dawn.
Hot coffee pots got knocked off the block.
Let us measure the length of the shelf again.
Give me the keys, she cried, and be quick.
Nobody believes how beautiful this beach is.
The speaker paused, breathed in, and went on.
Open your mouth wide and say ah.
Close your lips and hum a simple melody.
Whistle while you work, and smile at everybody.
Blow out the candle before you go to bed.
My favourite film is from nineteen fifty four.
We have to move the whole wardrobe to the other room.
Would you mind opening the window for a moment?
No, I am afraid that is not what I meant.
Yes, of course, I would love to come along.
Numbers from one to ten: one, two, three, four, five, six, seven, eight, nine, ten.
Monday, Tuesday, Wednesday, Thursday, Friday, Saturday, Sunday.
January and February are the coldest months of the year.
The museum opens at half past nine in the morning.
Thank you very much for your help with the move.
What a wonderful world this would be without worries.
A bunch of purple grapes hung above the porch.
The farmer fed the chickens from a rusty bucket.
A ship with white sails moved slowly out of the harbour.
The teacher wrote a long word on the board.
Warm milk with honey makes me sleepy.
Every evening the old piano plays by itself.
Both of them wore yellow hats and woolly scarves.
The engine coughed, shook, and finally stopped.
Beyond the hill there is a bridge made of rope.
Somebody left an umbrella beneath the bench.
Make me a paper boat, and I will make you an aeroplane.
The baby laughed, clapped, and babbled: ba ba ba, ma ma ma.
A vivid violet flower grew over the fence.
From above, the fields form a fine pattern.
The waiter brought us bread, water, and olives.
I wonder whether winter will ever be over.
Chocolate and cheese are both cheap at the church market.
The shoemaker should polish these shoes.
Your uncle's new ukulele is out of tune.
The yellow yacht is not in use this year.
Hang the long string along the ceiling.
Thinking thoroughly takes three times as long.
The clock struck twelve, and all was calm.
Lovely lilies lie along the low lake.
Roger rarely reads the rural reports.
Nine nuns knitted in the narrow lane.
Keep the kettle away from the kitten.
Go and get the green glass from the garden.
Daddy did not dare to doubt the doctor.
Tell Tom to take the tiny train tonight.
Huge hairy hounds have happy homes.
A problem shared is a problem halved.
Remember to bring the membership number.
Empty promises improve nothing.
Several people complained about the poor service.
Put your palms together, and bow before the emperor.
The bishop's pupil spoke up about the bill.
The moon above the pond was pale and beautiful.
Tomorrow morning my bicycle must be mended.
What do you think about the weather forecast?
I have never been so far from home before.
You can hear the waves from the open balcony.
Our teacher always begins with an easy question.
When the music stopped, everyone looked around.
It is difficult to explain, but easy to show.
They found the missing puppy under the porch.
Two plus two is four, and four plus four is eight.
The photographer asked the family to move closer.
Finally, the fog vanished, and the view was fabulous.
Ask the pharmacist for a bottle of vitamins.
The video showed a volcano in full eruption.
Whatever happens, we will be back before five.
A woman walked towards us with a wooden wheel.
Everyone will want to know where we were.
Push the sugar bush, not the flower pot.
An army of ants marched across the carpet.
After lunch, half of the class danced in the grass.
At last, the actor began to act angry.
The king's ring fell into the spring.
Each teacher needs a piece of green cheese.
Easy does it, he repeated, easy does it.
Oh no, the phone is broken, so nobody called.
Do not worry, I will be with you in a minute.
Ladies and gentlemen, welcome aboard this flight.
"""

GERMAN = """
Guten Morgen, wie geht es Ihnen heute?
Der Mann im Mond braucht ein blaues Boot.
Fünf süße Vögel wohnen über der Brücke.
Bitte bringen Sie mir noch eine Tasse Kaffee.
Schöne Schuhe stehen im Schaufenster.
Meine Mama mag Pflaumenmus mit Butter.
Wir wollen im Winter wieder wandern.
Oben auf dem Berg liegt schon viel Schnee.
Ich höre jeden Abend alte Platten.
Vielleicht fahren wir am Freitag fort.
"""

FRENCH = """
Bonjour, je voudrais une tasse de café, s'il vous plaît.
La lune brille au-dessus du petit pont.
Mon papa prépare une bonne soupe aux champignons.
Tu as vu le beau bateau bleu ?
Où vont les oiseaux quand vient l'hiver ?
Maman part au marché à vélo.
Un peu plus haut, on voit toute la vallée.
Jeudi, nous jouerons dans le jardin.
"""

SPANISH = """
Buenos días, me llamo Pablo y vivo en Bilbao.
La abuela prepara una sopa muy buena.
Mañana vamos al museo en bicicleta.
El perro de mi vecino bebe mucha agua.
Cuatro amigos pasean por la playa.
¿Puedes abrir la ventana, por favor?
Un pequeño barco blanco pasa por debajo del puente.
"""

ITALIAN = """
Buongiorno, mi piacerebbe un bicchiere d'acqua.
La mamma prepara il pane per tutta la famiglia.
Domani mattina andiamo al mare in bicicletta.
Un bel gatto bianco dorme sopra il muro.
Quanto costa questo libro di fiabe?
Il fiume passa lento sotto il ponte.
Volevo vedere la tua nuova fotografia.
"""

HELD_OUT = 5  # every fifth English sentence is for the test and never trained on


def lines(text: str) -> list[str]:
    """The sentences of one of the texts above."""
    return [line for line in text.strip().splitlines() if line]


def english() -> tuple[list[str], list[str]]:
    """English sentences to train on, and those held out."""
    every = lines(ENGLISH)
    return [s for i, s in enumerate(every) if i % HELD_OUT], every[::HELD_OUT]
