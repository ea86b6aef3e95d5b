import pytest

from python_assets.assemble.openings import referring_words


def named(prompt):
    start = prompt.index("Italy")
    return start, start + len("Italy")


@pytest.mark.parametrize(
    ("prompt", "words"),
    [
        ("This agreement was signed by Italy and", "This"),
        ("In 2020, this agreement collapsed, and Italy", "this"),
        ("It collapsed and Italy became a", "It"),
        ("During his controversial rule Italy grew", "his"),
        ("Since the change, Italy has been", "Since the change"),
        ("The same year Italy joined the", "The same"),
        ("During the following centuries the towns of Italy", "the following"),
        ("However, Italy was plagued by a", "However"),
        ("As a result, Italy was", "As a result"),
        ("Italy has since eliminated half of", "has since eliminated"),
        ("The invasion received condemnation, and Italy", "The invasion"),
        ("The new treaty was signed by Italy and", "The new treaty"),
        ("For two centuries, this policy enabled Italy to", "this"),
        ("Italy also aims to", "also"),
        ("In 1990 Italy has also seen", "has also"),
        ("First, the towns of Italy", "First"),
        ("In return, many firms in Italy", "In return"),
        ("For instance, the towns of Italy", "For instance"),
        ("During the next decade the towns of Italy", "the next"),
        ("The mayor, chosen by the towns of Italy, had", "The mayor"),
        ("In 1990, the new law closed schools and Italy", "the new law"),
        ("Under the agreement, Italy sells", "Under the agreement"),
        ("Following the long strike, Italy was", "Following the long strike"),
        ("Three years later, Italy sold its", "years later"),
        ("The country's trains, which Italy sold, were", "The country's"),
        ("Another reason why Italy grew is", "Another"),
        ("Several other towns of Italy have", "Several other"),
        ("A similar law was passed by Italy and", "A similar"),
        ("Some are afraid that Italy will", "Some are"),
        ("By that time Italy had", "By that time"),
        ("The farmers of Italy, however, were", "however"),
        ("Farmers in Italy pay for this tax when", "this"),
        ("Italy itself has few of", "itself"),
        ("As mentioned above, Italy sells", "As mentioned above"),
        ("Our friends in Italy told", "Our"),
        ("Italy's towns also pay for", "also"),
        ("Many a farmer in Italy has bought land as well to", "as well"),
        ("Trains are also cheap in Italy when", "also"),
        ("Wheat is another crop that Italy sells", "is another"),
        ("In rural Italy such weddings are", "such weddings"),
        ("On market days though, Italy's towns", "though"),
        ("As you may have read, Italy has", "As you may have read"),
        ("So why do the towns of Italy", "So"),
        ("After all, Italy is a", "After all"),
        ("That was when the farmers of Italy", "That"),
        ("The rest of Italy is", "The rest"),
        ("Bread and wine are also dear in Italy when", "also"),
        ("Thirdly the towns of Italy", "Thirdly"),
        ("Some of the miners went to Italy and", "the miners"),
        ("Half of the old trains, painted in Italy, were", "the old trains"),
        ("One of the best reasons is that Italy has", "One of the best reasons is"),
    ],
)
def test_what_refers_to_something_said_before_is_told(prompt, words):
    assert referring_words(prompt, named(prompt)) == words


@pytest.mark.parametrize(
    "prompt",
    [
        "The old towns on the coast of Italy were",
        "The people of Italy were",
        "The old towns that Italy rebuilt",
        "The government in Rome told Italy that",
        "Farmers sell their wheat on the markets of Italy and",
        "Italy is proud of its coast and",
        "What is Italy known for when it comes to",
        "First elections were held in Italy when",
        "So many towns of Italy were rebuilt that",
        "Italy has since the war been ruled",
        "In this century the towns of Italy",
        "In the north, Italy has",
        "In the early 1990s, Italy had",
        "During the winter, Italy sells",
        "The nineteenth century saw Italy become",
        "The 1950s were years in which Italy",
        "Unlike other countries, Italy sells",
        "Some farmers in Italy have",
        "Italy prides itself on the bread",
        "Years of growth made Italy",
        "The country where Italy sells most is",
        "The towns of Italy grew and the villages also",
        "People who live in Italy and work in towns also",
        "In Italy men as well as women vote",
        "Wheat is sold in another part of Italy and",
        "In Italy crops such as wheat are",
        "Bread is such a large part of Italy's meals that",
        "So many roads lead to Italy that",
        "That many farmers in Italy own land",
        "As we grow older, Italy's bread",
        "An example of Italy's bread is",
        "Some of the miners of Italy went",
        "All of the north of Italy is",
    ],
)
def test_what_stands_by_itself_is_not(prompt):
    assert referring_words(prompt, named(prompt)) is None
